/** What no container engine is needed for: the schemas of both files, and that they fit the project. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig as readLedgerConfig } from '@a2a-ledger/ledger/config'
import { readConfig as readProxyConfig } from '@a2a-ledger/proxy/config'
import { readConfig as readReconcilerConfig } from '@a2a-ledger/reconciler/config'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { workspaceRoot } from './launch/node24.cjs'

const read = (path: string): string => readFileSync(join(workspaceRoot, path), 'utf8')

interface Service {
  readonly image?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
}
const { services } = parse(read('infra/compose.yaml'), { merge: true }) as { readonly services: Readonly<Record<string, Service>> }

describe('infra/compose.yaml', () => {
  test('keeps the schema of the Compose specification', () => {
    const orders = ['service-keys-order', 'services-alphabetical-order', 'top-level-properties-order', 'require-quotes-in-ports']
    const linter = new DCLinter({ rules: Object.fromEntries(orders.map((rule) => [rule, 0])), quiet: false, debug: false, exclude: [] })
    const results: readonly { readonly messages: readonly unknown[] }[] = linter.lintFiles([join(workspaceRoot, 'infra/compose.yaml')], false)
    expect(results.map(({ messages }) => messages)).toEqual([[]])
  })

  test.each([
    ['ledger', 2, readLedgerConfig],
    ['reconciler', 2, readReconcilerConfig],
    ['proxy', 1, readProxyConfig],
  ] as const)('every %s has an environment that it starts with', (name, count, readConfig) => {
    const own = Object.values(services).filter(({ command = [] }) => command.includes(`services/${name}`))
    expect(own).toHaveLength(count)
    for (const { environment = {} } of own) expect(readConfig(environment)).toMatchObject({ outcome: 'ok' })
  })

  test('nothing is reachable from another machine', () => {
    for (const port of Object.values(services).flatMap(({ ports = [] }) => ports)) expect(port).toMatch(/^127\.0\.0\.1:/u)
  })

  test('servers are of the versions that the tests run on', () => {
    const kafka = /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)</u.exec(read('test/support/kafka/pom.xml'))?.[1]
    const postgres = /linux-x64": "(\d+\.\d+)/u.exec(read('infra/package.json'))?.[1]
    expect(services['kafka']?.image).toBe(`apache/kafka:${kafka}`)
    expect(services['postgres']?.image).toMatch(new RegExp(`^postgres:${postgres}-`, 'u'))
  })
})

describe('infra/Dockerfile', () => {
  const dockerfile = read('infra/Dockerfile')

  test('is one that a builder takes', () => {
    expect(validate(dockerfile)).toEqual([])
  })

  test('has the Node that the workspace brings', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { readonly devDependencies: Readonly<Record<string, string>> }
    expect(dockerfile).toMatch(new RegExp(`^FROM node:${devDependencies['node']}-`, 'mu'))
  })
})
