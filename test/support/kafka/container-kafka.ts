import { getContainerRuntimeClient, GenericContainer, RandomPortGenerator, Wait } from 'testcontainers'
import type { KafkaBroker } from './broker.ts'
import { untilAnswering } from './until-answering.ts'

const defaultImage = 'apache/kafka:4.4.0'
const startTimeoutMs = 180_000 // the image may have to be pulled

/** A broker in a container, with one port of the host that it keeps over restarts. */
export async function startContainerKafka(): Promise<KafkaBroker> {
  const image = process.env['TEST_KAFKA_IMAGE'] ?? defaultImage
  const runtime = await getContainerRuntimeClient()
  const { host } = runtime.info.containerRuntime
  const port = await new RandomPortGenerator().generatePort()
  const brokers = [`${host}:${port}`]
  const started = await new GenericContainer(image)
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment(environment(`${host}:${port}`))
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(startTimeoutMs)
    .start()
  const container = runtime.container.getById(started.getId())
  let isRunning = true
  let removing: Promise<unknown> | undefined
  await untilAnswering(brokers)
  return {
    version: image,
    brokers,
    start: async () => {
      if (isRunning) return
      await container.start()
      isRunning = true
      await untilAnswering(brokers)
    },
    kill: async () => {
      if (!isRunning) return
      isRunning = false
      await container.kill({ signal: 'SIGKILL' })
      await container.wait()
    },
    remove: async () => {
      removing ??= container.remove({ force: true, v: true })
      await removing
    },
  }
}

/** The image reads every setting from the environment once one is given there. */
const environment = (advertised: string): Record<string, string> => ({
  CLUSTER_ID: 'a2aLedgerTestCluster00',
  KAFKA_NODE_ID: '1',
  KAFKA_PROCESS_ROLES: 'broker,controller',
  KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
  KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093,INTERNAL://localhost:9094',
  KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${advertised},INTERNAL://localhost:9094`,
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT',
  KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
  KAFKA_INTER_BROKER_LISTENER_NAME: 'INTERNAL',
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '1',
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
  KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: '1',
  KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
  KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
  KAFKA_SHARE_COORDINATOR_STATE_TOPIC_NUM_PARTITIONS: '1',
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
  KAFKA_BROKER_SESSION_TIMEOUT_MS: '3000',
  KAFKA_BROKER_HEARTBEAT_INTERVAL_MS: '250',
})
