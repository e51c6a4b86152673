import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { environmentVariables, readConfig } from './config.ts'

const databaseUrl = 'postgres://ledger:secret-word@localhost:5432/ledger'

describe('the environment of the reconciler', () => {
  test('with a database alone every other value has its default', () => {
    expect(readConfig({ DATABASE_URL: databaseUrl })).toEqual({
      outcome: 'ok',
      config: {
        host: '127.0.0.1',
        port: 4200,
        ledgerUrl: 'http://127.0.0.1:4100',
        feedDatabaseUrl: databaseUrl,
        databaseUrl,
        graceMs: 30_000,
        silentAfterMs: 86_400_000,
        leaseTtlMs: 10_000,
        outboundAllowCidrs: [],
        redispatchTimeoutMs: 60_000,
        pushReceiverUrl: undefined,
        observerCallsPerMinute: 300,
        instanceHeaders: ['x-a2a-instance', 'x-instance-id', 'x-pod-name'],
        scopeKey: undefined,
        logLevel: 'info',
        drainTimeoutMs: 10_000,
        kafka: undefined,
      },
    })
  })

  test('with brokers the feed is a topic', () => {
    const reading = readConfig({ DATABASE_URL: databaseUrl, KAFKA_BROKERS: 'one:9092', KAFKA_TLS: 'true', KAFKA_TOPIC_PREFIX: 'mesh.' })
    expect(reading).toMatchObject({ config: { kafka: { connection: { brokers: ['one:9092'], isTls: true }, topicPrefix: 'mesh.' } } })
  })

  test('the views may be in another database than the ledger', () => {
    const views = 'postgresql://reconciler@localhost/views'
    const reading = readConfig({ DATABASE_URL: databaseUrl, RECONCILER_DATABASE_URL: views })
    expect(reading).toMatchObject({ config: { feedDatabaseUrl: databaseUrl, databaseUrl: views } })
  })

  test('all problems are reported at once, and none repeats a value', () => {
    const reading = readConfig({
      HOST: '0.0.0.0',
      RECONCILER_PORT: '70000',
      LOG_LEVEL: 'loud',
      LEDGER_URL: 'secret-word',
      DATABASE_URL: 'mysql://root:secret-word@localhost/x',
      RECONCILER_DATABASE_URL: 'secret-word',
      GRACE_MS: 'many',
      SILENT_AFTER_MS: '-1',
      LEASE_TTL_MS: '1',
      OUTBOUND_ALLOW_CIDRS: 'loopback',
      REDISPATCH_TIMEOUT_MS: '10',
      PUSH_RECEIVER_URL: 'nowhere',
      OBSERVER_CALLS_PER_MINUTE: '0',
      INSTANCE_HEADERS: 'x y',
      PROXY_KEY: 'secret-word',
      DRAIN_TIMEOUT_MS: '1.5',
      ALLOW_UNAUTHENTICATED: 'true',
    })
    const problems = reading.outcome === 'invalid' ? reading.problems : []
    expect(problems.map((problem) => problem.split(' ')[0]).toSorted()).toEqual([
      'ALLOW_UNAUTHENTICATED',
      'DATABASE_URL',
      'DRAIN_TIMEOUT_MS',
      'GRACE_MS',
      'HOST',
      'INSTANCE_HEADERS',
      'LEASE_TTL_MS',
      'LEDGER_URL',
      'LOG_LEVEL',
      'OBSERVER_CALLS_PER_MINUTE',
      'OUTBOUND_ALLOW_CIDRS',
      'PROXY_KEY',
      'PUSH_RECEIVER_URL',
      'RECONCILER_DATABASE_URL',
      'RECONCILER_PORT',
      'REDISPATCH_TIMEOUT_MS',
      'SILENT_AFTER_MS',
    ])
    expect(problems).toContain('LEASE_TTL_MS must be a whole number from 500 to 600000; with Kafka less than 6000 counts as 6000')
    expect(problems.join(' ')).not.toContain('secret-word')
  })

  test('the configuration is frozen', () => {
    const reading = readConfig({ DATABASE_URL: databaseUrl })
    expect(reading.outcome === 'ok' && Object.isFrozen(reading.config)).toBe(true)
  })
})

test('docs/reference/config.md names exactly these variables and their defaults', () => {
  const page = readFileSync(new URL('../../../docs/reference/config.md', import.meta.url), 'utf8')
  const section = page.split(/^## /m).find((part) => part.startsWith('Reconciler\n')) ?? ''
  const documented = [...section.matchAll(/^\| `([A-Z_]+)` \| ([^|]*) \|/gm)].map(
    ([, name, value]) => `${name} ${value?.trim()}`,
  )
  const special: Readonly<Record<string, string>> = { DATABASE_URL: '(required)', RECONCILER_DATABASE_URL: '(`DATABASE_URL`)', OUTBOUND_ALLOW_CIDRS: '(none)' }
  const defaults = z.object(environmentVariables).parse({ DATABASE_URL: databaseUrl })
  const declared = Object.keys(environmentVariables).map((name) => {
    const value = defaults[name as keyof typeof defaults]
    return `${name} ${special[name] ?? (value === undefined ? '(none)' : `\`${String(value)}\``)}`
  })
  expect(documented.toSorted()).toEqual(declared.toSorted())
})
