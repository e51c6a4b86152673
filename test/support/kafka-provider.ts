import { existsSync } from 'node:fs'
import type { KafkaBroker } from './kafka/broker.ts'
import { startContainerKafka } from './kafka/container-kafka.ts'
import { startGuardedKafka, startLocalKafka } from './kafka/local-kafka.ts'
import { untilAnswering } from './kafka/until-answering.ts'

export type ProvidedKafka = {
  readonly provider: 'TEST_KAFKA_BROKERS' | 'Testcontainers' | 'local process'
  readonly version: string
  readonly brokers: readonly string[]
  stop(): Promise<void>
}

/**
 * An Apache Kafka for the tests, from the first provider that applies. One that applies and fails
 * is an error, never a reason to try the next.
 */
export async function provideKafka(hasEngine = hasContainerEngine()): Promise<ProvidedKafka> {
  const given = process.env['TEST_KAFKA_BROKERS']
  if (given !== undefined && given !== '') {
    const brokers = given.split(',')
    await untilAnswering(brokers, 20_000)
    return { provider: 'TEST_KAFKA_BROKERS', version: 'as it is', brokers, stop: async () => undefined }
  }
  const { provider, version, brokers, remove } = await startBroker(hasEngine, { isMortal: false })
  return { provider, version, brokers, stop: remove }
}

/** A broker of one's own, to be killed: never the one of `TEST_KAFKA_BROKERS`. */
export const startKafkaBroker = (hasEngine = hasContainerEngine()): Promise<StartedBroker> => startBroker(hasEngine, { isMortal: true })

type StartedBroker = KafkaBroker & { readonly provider: 'Testcontainers' | 'local process' }

async function startBroker(hasEngine: boolean, options: { readonly isMortal: boolean }): Promise<StartedBroker> {
  if (hasEngine) return { provider: 'Testcontainers', ...(await startContainerKafka()) }
  return { provider: 'local process', ...(await localOrExplain(() => startLocalKafka(options))) }
}

/** A broker that also listens with TLS and a login: always a process, since its key is made here. */
export const startKafkaWithGuard = (): ReturnType<typeof startGuardedKafka> => localOrExplain(startGuardedKafka)

async function localOrExplain<Broker>(start: () => Promise<Broker>): Promise<Broker> {
  try {
    return await start()
  } catch (cause) {
    throw new Error(
      [
        'No Apache Kafka for the tests. Three ways to provide one:',
        '  1. TEST_KAFKA_BROKERS=host:port[,host:port] (Kafka 4.x without authentication; tests that kill a broker need 2 or 3, the one with TLS 3)',
        '  2. a container engine: DOCKER_HOST, or a socket at /var/run/docker.sock',
        '  3. Java 17 or later and Maven on the PATH, which was tried and failed:',
        `     ${cause instanceof Error ? cause.message : String(cause)}`,
      ].join('\n'),
      { cause },
    )
  }
}

function hasContainerEngine(): boolean {
  const host = process.env['DOCKER_HOST']
  return (host !== undefined && host !== '') || existsSync('/var/run/docker.sock')
}
