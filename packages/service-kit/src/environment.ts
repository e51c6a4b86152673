/**
 * The environment of a service, read once (by its `main.ts`) and frozen.
 *
 * Every problem is reported at once, with the name of the variable and what to write; values are
 * never repeated, since one of them is a database URL. An empty variable is an absent one.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { isCidr } from '@a2a-ledger/outbound'
import { z } from 'zod'

/** `note` follows the limits where they are not all there is to say. */
export const decimal = (min: number, max: number, note = '') =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      message: `must be a whole number from ${min} to ${max}${note}`,
    })
    .transform(Number)

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  (isIPv4(host) && host.startsWith('127.')) ||
  (isIPv6(host) && /^(0*:)*:?0*1$/.test(host))

const isUrlOf = (protocols: readonly string[]) => (text: string): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol)

export const postgresUrl = z
  .string({ error: 'is not set; write postgres://user:password@host:5432/database' })
  .refine(isUrlOf(['postgres:', 'postgresql:']), { message: 'must begin with postgres:// or postgresql://' })

export const httpUrl = z.string().refine(isUrlOf(['http:', 'https:']), { message: 'must begin with http:// or https://' })

/** The parts of a list with commas between. */
export const listIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** For services that call addresses which others named. */
export const outboundVariables = {
  OUTBOUND_ALLOW_CIDRS: z
    .string()
    .refine((text) => listIn(text).every(isCidr), { message: 'must be blocks of addresses with a comma between, such as 10.0.0.0/8,fd00::/8' })
    .transform(listIn)
    .default([])
    .describe('Blocks of addresses that may be called although they are not public.'),
}

const headerNames = z
  .string()
  .refine((text) => listIn(text).every((name) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name)), { message: 'must be names of headers with a comma between' })
  .transform((text) => listIn(text.toLowerCase()))

/** For services that are witnesses of calls to workers. */
export const instanceVariables = {
  INSTANCE_HEADERS: headerNames
    .default(['x-a2a-instance', 'x-instance-id', 'x-pod-name'])
    .describe('Headers of an answer that name the replica that gave it.'),
}

/** At least as long as what is made with it. */
export const deploymentKey = z.string().min(32, 'must have at least 32 characters').optional()

/** Where a service listens, and how much it says. */
export const commonVariables = {
  HOST: z.string().default('127.0.0.1').describe('The address to listen on.'),
  ALLOW_UNAUTHENTICATED: z
    .enum(['yes', 'no'], { error: 'must be yes or no' })
    .default('no')
    .describe('Must be `yes` for a `HOST` that is not loopback: callers are not authenticated.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info')
    .describe('The least severe level that is logged.'),
  DRAIN_TIMEOUT_MS: decimal(0, 600_000)
    .default(10_000)
    .describe('Milliseconds that running calls get to end after SIGTERM.'),
}

/** Refuses to listen beyond this machine unless somebody said that the network keeps others out. */
export const guardHost = <Schema extends z.ZodType<{ HOST: string; ALLOW_UNAUTHENTICATED: string }>>(schema: Schema): Schema =>
  schema.refine(({ HOST, ALLOW_UNAUTHENTICATED }) => isLoopback(HOST) || ALLOW_UNAUTHENTICATED === 'yes', {
    path: ['HOST'],
    message:
      'is not a loopback address, and callers are not authenticated; ' +
      'keep 127.0.0.1, or set ALLOW_UNAUTHENTICATED=yes where the network keeps others out',
    when: () => true, // beside the problems of other variables, not after them
  })

export type EnvironmentReading<Values> =
  | { readonly outcome: 'ok'; readonly values: Values }
  | { readonly outcome: 'invalid'; readonly problems: readonly string[] }

/** Reads `environment` by `schema`; `invalid` lists every problem, one sentence each. */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentReading<z.output<Schema>> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(present)
  if (parsed.success) return { outcome: 'ok', values: parsed.data }
  return {
    outcome: 'invalid',
    problems: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`),
  }
}

export type ConfigReading<Config> =
  | { readonly outcome: 'ok'; readonly config: Readonly<Config> }
  | { readonly outcome: 'invalid'; readonly problems: readonly string[] }

/** Reads `environment` by `schema` into a frozen config; `invalid` lists every problem, one sentence each. */
export function configFrom<Schema extends z.ZodType, Config>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
  configOf: (values: z.output<Schema>) => Config,
): ConfigReading<Config> {
  const reading = readEnvironment(schema, environment)
  return reading.outcome === 'invalid' ? reading : { outcome: 'ok', config: Object.freeze(configOf(reading.values)) }
}
