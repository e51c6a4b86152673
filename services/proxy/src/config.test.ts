import { readFileSync } from 'node:fs'
import { rowsOf, sectionOf } from '@a2a-ledger/domain/testing'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { environmentVariables, readConfig } from './config.ts'

describe('the environment of the proxy', () => {
  test('of nothing gives every value its default', () => {
    expect(readConfig({})).toEqual({
      outcome: 'ok',
      config: {
        host: '127.0.0.1',
        port: 4300,
        publicUrl: undefined,
        ledgerUrl: 'http://127.0.0.1:4100',
        dataDir: './.data',
        outboundAllowCidrs: [],
        spoolBytesMax: 268_435_456,
        bodyBytesInFlightMax: 134_217_728,
        upstreamTimeoutMs: 900_000,
        sseKeepAliveMs: 15_000,
        instanceHeaders: ['x-a2a-instance', 'x-instance-id', 'x-pod-name'],
        isInstanceByAddress: false,
        isTeeingPushes: false,
        key: undefined,
        logLevel: 'info',
        drainTimeoutMs: 10_000,
      },
    })
  })

  test('has lists with a comma between', () => {
    const reading = readConfig({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8, ::1/128', INSTANCE_HEADERS: 'X-Replica,x-pod' })
    expect(reading).toMatchObject({ config: { outboundAllowCidrs: ['127.0.0.0/8', '::1/128'], instanceHeaders: ['x-replica', 'x-pod'] } })
  })

  test('all problems are reported at once, and none repeats a value', () => {
    const secret = 'secret-word'
    const reading = readConfig({
      HOST: '0.0.0.0', PROXY_PORT: '70000', LEDGER_URL: secret, OUTBOUND_ALLOW_CIDRS: '10.0.0.1', SPOOL_BYTES_MAX: '1', BODY_BYTES_IN_FLIGHT_MAX: '1',
      UPSTREAM_TIMEOUT_MS: 'soon', SSE_KEEP_ALIVE_MS: '-1', INSTANCE_HEADERS: 'x y', INSTANCE_ADDRESS: 'maybe', PROXY_KEY: secret, LOG_LEVEL: 'loud', DRAIN_TIMEOUT_MS: '1.5',
    })
    const problems = reading.outcome === 'invalid' ? reading.problems : []
    expect(problems.map((problem) => problem.split(' ')[0]).toSorted()).toEqual([
      'BODY_BYTES_IN_FLIGHT_MAX', 'DRAIN_TIMEOUT_MS', 'HOST', 'INSTANCE_ADDRESS', 'INSTANCE_HEADERS', 'LEDGER_URL', 'LOG_LEVEL', 'OUTBOUND_ALLOW_CIDRS', 'PROXY_KEY', 'PROXY_PORT',
      'PUBLIC_URL', 'SPOOL_BYTES_MAX', 'SSE_KEEP_ALIVE_MS', 'UPSTREAM_TIMEOUT_MS',
    ])
    expect(problems.join('\n')).not.toContain(secret)
  })
})

describe('docs/reference/config.md: Proxy', () => {
  const page = readFileSync(new URL('../../../docs/reference/config.md', import.meta.url), 'utf8')
  const rows = rowsOf(sectionOf(page, '## Proxy'))

  test('has a row for every variable, in their order, each with a meaning', () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(environmentVariables).map((name) => `\`${name}\``).toSorted())
    expect(rows.filter((row) => row[2] === '')).toEqual([])
  })

  test.each(rows.filter(([, shown]) => shown?.startsWith('`')))('%s: the default is %s', (name = '', shown = '') => {
    const schema = environmentVariables[name.replaceAll('`', '') as keyof typeof environmentVariables] as z.ZodType
    const value = schema.parse(undefined)
    expect(shown).toBe(`\`${Array.isArray(value) ? value.join(',') : String(value)}\``)
  })
})
