/** The environment of the reconciler, read once (by `main.ts`) and frozen. */
import {
  commonVariables,
  configFrom,
  decimal,
  deploymentKey,
  guardHost,
  httpUrl,
  instanceVariables,
  outboundVariables,
  postgresUrl,
  type ConfigReading,
} from '@a2a-ledger/service-kit/environment'
import { guardSasl, kafkaSettingsOf, kafkaVariables, type KafkaSettings } from '@a2a-ledger/service-kit/kafka'
import { z } from 'zod'

/** Name, default and meaning of every variable; `docs/reference/config.md` is checked against it. */
export const environmentVariables = {
  ...commonVariables,
  ...kafkaVariables,
  ...outboundVariables,
  RECONCILER_PORT: decimal(0, 65_535).default(4200).describe('The port to listen on; 0 takes a free one.'),
  LEDGER_URL: httpUrl.default('http://127.0.0.1:4100').describe('Where the ledger answers.'),
  DATABASE_URL: postgresUrl.describe("The ledger's Postgres database, whose feed is read."),
  RECONCILER_DATABASE_URL: postgresUrl
    .optional()
    .describe('The Postgres database of the views; default: `DATABASE_URL`.'),
  GRACE_MS: decimal(0, 86_400_000)
    .default(30_000)
    .describe('Milliseconds from the first not-found until a lost task is decided on.'),
  SILENT_AFTER_MS: decimal(1_000, 31_536_000_000)
    .default(86_400_000)
    .describe('Milliseconds without a sign of life after which an open task counts as silent.'),
  LEASE_TTL_MS: decimal(500, 600_000, '; with Kafka less than 6000 counts as 6000')
    .default(10_000)
    .describe('Milliseconds after which another process takes over from one that stopped answering.'),
  REDISPATCH_TIMEOUT_MS: decimal(1_000, 3_600_000)
    .default(60_000)
    .describe('Milliseconds that a worker may take to answer what the ledger sends it.'),
  PUSH_RECEIVER_URL: httpUrl.optional().describe('Where workers reach the push receiver of the ledger; absent: probes do not ask for pushes.'),
  OBSERVER_CALLS_PER_MINUTE: decimal(1, 60_000)
    .default(300)
    .describe('Calls that the observer makes to one worker in a minute, at most.'),
  ...instanceVariables,
  PROXY_KEY: deploymentKey.describe("That of the deployment's proxies, so that the observer's calls have the same scopes; default: calls with a credential have none."),
}

const environmentSchema = guardSasl(guardHost(z.object(environmentVariables)))

export interface Config {
  readonly host: string
  readonly port: number
  readonly ledgerUrl: string
  readonly feedDatabaseUrl: string
  readonly databaseUrl: string
  readonly graceMs: number
  readonly silentAfterMs: number
  readonly leaseTtlMs: number
  /** Blocks of addresses that may be called although they are not public. */
  readonly outboundAllowCidrs: readonly string[]
  readonly redispatchTimeoutMs: number
  /** Absent: probes do not ask for pushes. */
  readonly pushReceiverUrl: string | undefined
  readonly observerCallsPerMinute: number
  /** Headers of an answer that name the replica that gave it. */
  readonly instanceHeaders: readonly string[]
  /** Absent: a call with a credential has no scope. */
  readonly scopeKey: string | undefined
  readonly logLevel: z.output<typeof environmentVariables.LOG_LEVEL>
  readonly drainTimeoutMs: number
  /** Absent: the feed is read from Postgres. */
  readonly kafka: KafkaConfig | undefined
}

export interface KafkaConfig {
  readonly connection: KafkaSettings
  readonly topicPrefix: string
}

/** Reads `environment`; `invalid` lists every problem, one sentence each. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): ConfigReading<Config> =>
  configFrom(environmentSchema, environment, (values) => {
    const connection = kafkaSettingsOf(values, 'a2a-ledger-reconciler')
    return {
      host: values.HOST,
      port: values.RECONCILER_PORT,
      ledgerUrl: values.LEDGER_URL,
      feedDatabaseUrl: values.DATABASE_URL,
      databaseUrl: values.RECONCILER_DATABASE_URL ?? values.DATABASE_URL,
      graceMs: values.GRACE_MS,
      silentAfterMs: values.SILENT_AFTER_MS,
      leaseTtlMs: values.LEASE_TTL_MS,
      outboundAllowCidrs: values.OUTBOUND_ALLOW_CIDRS,
      redispatchTimeoutMs: values.REDISPATCH_TIMEOUT_MS,
      pushReceiverUrl: values.PUSH_RECEIVER_URL,
      observerCallsPerMinute: values.OBSERVER_CALLS_PER_MINUTE,
      instanceHeaders: values.INSTANCE_HEADERS,
      scopeKey: values.PROXY_KEY,
      logLevel: values.LOG_LEVEL,
      drainTimeoutMs: values.DRAIN_TIMEOUT_MS,
      kafka: connection && { connection, topicPrefix: values.KAFKA_TOPIC_PREFIX },
    }
  })
