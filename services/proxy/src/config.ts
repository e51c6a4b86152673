/** The environment of the proxy, read once (by `main.ts`) and frozen. */
import { commonVariables, configFrom, decimal, deploymentKey, guardHost, httpUrl, instanceVariables, outboundVariables, type ConfigReading } from '@a2a-ledger/service-kit/environment'
import { z } from 'zod'

/** Name, default and meaning of every variable; `docs/reference/config.md` is checked against it. */
export const environmentVariables = {
  ...commonVariables,
  PROXY_PORT: decimal(0, 65_535).default(4300).describe('The port to listen on; 0 takes a free one.'),
  PUBLIC_URL: httpUrl.optional().describe('What others call the proxy; default: `http://HOST:PROXY_PORT`.'),
  LEDGER_URL: httpUrl.default('http://127.0.0.1:4100').describe('Where the ledger answers.'),
  DATA_DIR: z.string().default('./.data').describe('The folder that holds the spool and the known workers, in `proxy`.'),
  ...outboundVariables,
  SPOOL_BYTES_MAX: decimal(65_536, 1_099_511_627_776)
    .default(268_435_456)
    .describe('Bytes that may wait for the ledger; what comes beyond is counted.'),
  BODY_BYTES_IN_FLIGHT_MAX: decimal(8_388_608, 68_719_476_736)
    .default(134_217_728)
    .describe('Bytes of bodies that are held at once to be recorded; beyond it bodies go by and are counted.'),
  UPSTREAM_TIMEOUT_MS: decimal(1_000, 86_400_000)
    .default(900_000)
    .describe('Milliseconds that a worker may take to begin its answer.'),
  SSE_KEEP_ALIVE_MS: decimal(0, 3_600_000)
    .default(15_000)
    .describe('Milliseconds of silence after which a stream of events gets a comment; 0: never.'),
  ...instanceVariables,
  INSTANCE_ADDRESS: z
    .enum(['yes', 'no'], { error: 'must be yes or no' })
    .default('no')
    .describe('Whether the address that answered names the replica where no header does: only where the name of a worker resolves to its replicas themselves.'),
  PUSH_TEE: z
    .enum(['yes', 'no'], { error: 'must be yes or no' })
    .default('no')
    .describe('Whether pushes of workers whose enrolment does not say go by way of the proxy.'),
  PROXY_KEY: deploymentKey.describe('The secret that scopes and push addresses are made with, the same for all proxies of a deployment; default: one of its own, in `DATA_DIR`.'),
}

const environmentSchema = guardHost(z.object(environmentVariables)).refine(({ HOST, PUBLIC_URL }) => !/^(?:0[.]0[.]0[.]0|::)$/.test(HOST) || PUBLIC_URL !== undefined, {
  path: ['PUBLIC_URL'],
  message: 'is not set, and HOST is every address of this machine; write what others call the proxy',
  when: () => true,
})

export interface Config {
  readonly host: string
  readonly port: number
  /** Absent: the address it listens on. */
  readonly publicUrl: string | undefined
  readonly ledgerUrl: string
  readonly dataDir: string
  readonly outboundAllowCidrs: readonly string[]
  readonly spoolBytesMax: number
  readonly bodyBytesInFlightMax: number
  readonly upstreamTimeoutMs: number
  readonly sseKeepAliveMs: number
  readonly instanceHeaders: readonly string[]
  readonly isInstanceByAddress: boolean
  readonly isTeeingPushes: boolean
  readonly key: string | undefined
  readonly logLevel: z.output<typeof environmentVariables.LOG_LEVEL>
  readonly drainTimeoutMs: number
}

/** Reads `environment`; `invalid` lists every problem, one sentence each. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): ConfigReading<Config> =>
  configFrom(environmentSchema, environment, (values) => ({
    host: values.HOST,
    port: values.PROXY_PORT,
    publicUrl: values.PUBLIC_URL,
    ledgerUrl: values.LEDGER_URL,
    dataDir: values.DATA_DIR,
    outboundAllowCidrs: values.OUTBOUND_ALLOW_CIDRS,
    spoolBytesMax: values.SPOOL_BYTES_MAX,
    bodyBytesInFlightMax: values.BODY_BYTES_IN_FLIGHT_MAX,
    upstreamTimeoutMs: values.UPSTREAM_TIMEOUT_MS,
    sseKeepAliveMs: values.SSE_KEEP_ALIVE_MS,
    instanceHeaders: values.INSTANCE_HEADERS,
    isInstanceByAddress: values.INSTANCE_ADDRESS === 'yes',
    isTeeingPushes: values.PUSH_TEE === 'yes',
    key: values.PROXY_KEY,
    logLevel: values.LOG_LEVEL,
    drainTimeoutMs: values.DRAIN_TIMEOUT_MS,
  }))
