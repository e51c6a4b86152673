import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { environmentVariables, readConfig } from './config.ts'

const databaseUrl = 'postgres://ledger:secret-word@localhost:5432/ledger'

describe('the environment of the ledger', () => {
  test('with a database alone every other value has its default', () => {
    expect(readConfig({ DATABASE_URL: databaseUrl })).toEqual({
      outcome: 'ok',
      config: {
        host: '127.0.0.1',
        port: 4100,
        databaseUrl,
        logLevel: 'info',
        ingestBytesInFlightMax: 134_217_728,
        drainTimeoutMs: 10_000,
        kafka: undefined,
      },
    })
  })

  test('with brokers there is Kafka, and a way to log in needs a user and a password', () => {
    const kafka = { DATABASE_URL: databaseUrl, KAFKA_BROKERS: 'one:9092,two:9092' }
    expect(readConfig({ ...kafka, KAFKA_TOPIC_PREFIX: 'mesh.', KAFKA_PARTITIONS: '12', KAFKA_CREATE_TOPICS: 'false' })).toMatchObject({
      outcome: 'ok',
      config: {
        kafka: {
          connection: { brokers: ['one:9092', 'two:9092'], isTls: false, sasl: undefined },
          topicPrefix: 'mesh.',
          partitionCount: 12,
          isCreatingTopics: false,
        },
      },
    })
    expect(readConfig({ ...kafka, KAFKA_SASL_MECHANISM: 'plain' })).toMatchObject({
      outcome: 'invalid',
      problems: [expect.stringMatching(/^KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME/)],
    })
  })

  test('all problems are reported at once, and none repeats a value', () => {
    const reading = readConfig({
      HOST: '0.0.0.0',
      LEDGER_PORT: '70000',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://root:secret-word@localhost/x',
      INGEST_BYTES_IN_FLIGHT_MAX: 'many',
      DRAIN_TIMEOUT_MS: '-1',
      ALLOW_UNAUTHENTICATED: 'true',
    })
    expect(reading.outcome).toBe('invalid')
    const problems = reading.outcome === 'invalid' ? reading.problems : []
    expect(problems.map((problem) => problem.split(' ')[0]).toSorted()).toEqual([
      'ALLOW_UNAUTHENTICATED',
      'DATABASE_URL',
      'DRAIN_TIMEOUT_MS',
      'HOST',
      'INGEST_BYTES_IN_FLIGHT_MAX',
      'LEDGER_PORT',
      'LOG_LEVEL',
    ])
    expect(problems.join(' ')).not.toContain('secret-word')
  })

  test.each([
    ['127.0.0.1', undefined, 'ok'],
    ['127.8.9.10', undefined, 'ok'],
    ['localhost', undefined, 'ok'],
    ['::1', undefined, 'ok'],
    ['0:0:0:0:0:0:0:1', undefined, 'ok'],
    ['', undefined, 'ok'],
    ['::', undefined, 'invalid'],
    ['0.0.0.0', undefined, 'invalid'],
    ['0.0.0.0', 'no', 'invalid'],
    ['ledger.example.com', undefined, 'invalid'],
    ['127.example.com', undefined, 'invalid'],
    ['0.0.0.0', 'yes', 'ok'],
  ])('HOST %j with ALLOW_UNAUTHENTICATED %j is %s', (host, allow, outcome) => {
    const environment = { DATABASE_URL: databaseUrl, HOST: host, ALLOW_UNAUTHENTICATED: allow }
    expect(readConfig(environment).outcome).toBe(outcome)
  })

  test('a missing database is a problem that says what to write', () => {
    expect(readConfig({})).toEqual({
      outcome: 'invalid',
      problems: ['DATABASE_URL is not set; write postgres://user:password@host:5432/database'],
    })
  })

  test('the configuration is frozen', () => {
    const reading = readConfig({ DATABASE_URL: databaseUrl })
    expect(reading.outcome === 'ok' && Object.isFrozen(reading.config)).toBe(true)
  })
})

test('docs/reference/config.md names exactly these variables and their defaults', () => {
  const page = readFileSync(new URL('../../../docs/reference/config.md', import.meta.url), 'utf8')
  const section = page.split(/^## /m).find((part) => part.startsWith('Ledger\n')) ?? ''
  const documented = [...section.matchAll(/^\| `([A-Z_]+)` \| ([^|]*) \|/gm)].map(
    ([, name, value]) => `${name} ${value?.trim()}`,
  )
  const defaults = z.object(environmentVariables).parse({ DATABASE_URL: databaseUrl })
  const declared = Object.keys(environmentVariables).map((name) => {
    const value = defaults[name as keyof typeof defaults]
    if (name === 'DATABASE_URL') return `${name} (required)`
    return `${name} ${value === undefined ? '(none)' : `\`${String(value)}\``}`
  })
  expect(documented.toSorted()).toEqual(declared.toSorted())
})
