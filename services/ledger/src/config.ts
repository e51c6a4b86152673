/** The environment of the ledger, read once (by `main.ts`) and frozen. */
import { commonVariables, configFrom, decimal, guardHost, postgresUrl, type ConfigReading } from '@a2a-ledger/service-kit/environment'
import { guardSasl, kafkaSettingsOf, kafkaVariables, topicVariables, type KafkaSettings } from '@a2a-ledger/service-kit/kafka'
import { z } from 'zod'

/** Name, default and meaning of every variable; `docs/reference/config.md` is checked against it. */
export const environmentVariables = {
  ...commonVariables,
  ...kafkaVariables,
  ...topicVariables,
  LEDGER_PORT: decimal(0, 65_535).default(4100).describe('The port to listen on; 0 takes a free one.'),
  DATABASE_URL: postgresUrl.describe('The Postgres database, after `npm run migrate`.'),
  INGEST_BYTES_IN_FLIGHT_MAX: decimal(8_388_608, 8_589_934_592)
    .default(134_217_728)
    .describe('Bytes of request bodies held at once; above it calls answer 503 `overloaded`.'),
}

const environmentSchema = guardSasl(guardHost(z.object(environmentVariables)))

export interface Config {
  readonly host: string
  readonly port: number
  readonly databaseUrl: string
  readonly logLevel: z.output<typeof environmentVariables.LOG_LEVEL>
  readonly ingestBytesInFlightMax: number
  readonly drainTimeoutMs: number
  /** Absent: nothing is read from Kafka and nothing published. */
  readonly kafka: KafkaConfig | undefined
}

export interface KafkaConfig {
  readonly connection: KafkaSettings
  readonly topicPrefix: string
  /** Of topics that are created. */
  readonly partitionCount: number
  readonly isCreatingTopics: boolean
}

/** Reads `environment`; `invalid` lists every problem, one sentence each. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): ConfigReading<Config> =>
  configFrom(environmentSchema, environment, (values) => {
    const connection = kafkaSettingsOf(values, 'a2a-ledger')
    return {
      host: values.HOST,
      port: values.LEDGER_PORT,
      databaseUrl: values.DATABASE_URL,
      logLevel: values.LOG_LEVEL,
      ingestBytesInFlightMax: values.INGEST_BYTES_IN_FLIGHT_MAX,
      drainTimeoutMs: values.DRAIN_TIMEOUT_MS,
      kafka: connection && {
        connection,
        topicPrefix: values.KAFKA_TOPIC_PREFIX,
        partitionCount: values.KAFKA_PARTITIONS,
        isCreatingTopics: values.KAFKA_CREATE_TOPICS === 'true',
      },
    }
  })
