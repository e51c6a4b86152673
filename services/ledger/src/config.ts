/**
 * The environment of the ledger, read once (by `main.ts`) and frozen.
 *
 * Every problem is reported at once, with the name of the variable and what to write; values are
 * never repeated, since one of them is a database URL. An empty variable is an absent one.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { z } from 'zod'

const decimal = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      message: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  (isIPv4(host) && host.startsWith('127.')) ||
  (isIPv6(host) && /^(0*:)*:?0*1$/.test(host))

const isPostgresUrl = (text: string): boolean =>
  URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol)

/** Name, default and meaning of every variable; `docs/reference/config.md` is checked against it. */
export const environmentSchema = z
  .object({
    HOST: z.string().default('127.0.0.1').describe('The address to listen on.'),
    ALLOW_UNAUTHENTICATED: z
      .enum(['yes', 'no'], { error: 'must be yes or no' })
      .default('no')
      .describe('Must be `yes` for a `HOST` that is not loopback: callers are not authenticated.'),
    LEDGER_PORT: decimal(0, 65_535).default(4100).describe('The port to listen on; 0 takes a free one.'),
    DATABASE_URL: z
      .string({ error: 'is not set; write postgres://user:password@host:5432/database' })
      .refine(isPostgresUrl, { message: 'must begin with postgres:// or postgresql://' })
      .describe('The Postgres database, after `npm run migrate`.'),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        error: 'must be one of fatal, error, warn, info, debug, trace, silent',
      })
      .default('info')
      .describe('The least severe level that is logged.'),
    INGEST_BYTES_IN_FLIGHT_MAX: decimal(8_388_608, 8_589_934_592)
      .default(134_217_728)
      .describe('Bytes of request bodies held at once; above it calls answer 503 `overloaded`.'),
    DRAIN_TIMEOUT_MS: decimal(0, 600_000)
      .default(10_000)
      .describe('Milliseconds that running calls get to end after SIGTERM.'),
  })
  .refine(
    ({ HOST, ALLOW_UNAUTHENTICATED }) => isLoopback(HOST) || ALLOW_UNAUTHENTICATED === 'yes',
    {
      path: ['HOST'],
      message:
        'is not a loopback address, and callers are not authenticated; ' +
        'keep 127.0.0.1, or set ALLOW_UNAUTHENTICATED=yes where the network keeps others out',
      when: () => true, // beside the problems of other variables, not after them
    },
  )

export interface Config {
  readonly host: string
  readonly port: number
  readonly databaseUrl: string
  readonly logLevel: z.infer<typeof environmentSchema>['LOG_LEVEL']
  readonly ingestBytesInFlightMax: number
  readonly drainTimeoutMs: number
}

export type ConfigReading =
  | { readonly outcome: 'ok'; readonly config: Config }
  | { readonly outcome: 'invalid'; readonly problems: readonly string[] }

/** Reads `environment`; `invalid` lists every problem, one sentence each. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): ConfigReading {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = environmentSchema.safeParse(present)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
    return { outcome: 'invalid', problems }
  }
  const values = parsed.data
  return {
    outcome: 'ok',
    config: Object.freeze({
      host: values.HOST,
      port: values.LEDGER_PORT,
      databaseUrl: values.DATABASE_URL,
      logLevel: values.LOG_LEVEL,
      ingestBytesInFlightMax: values.INGEST_BYTES_IN_FLIGHT_MAX,
      drainTimeoutMs: values.DRAIN_TIMEOUT_MS,
    }),
  }
}
