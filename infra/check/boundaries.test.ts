import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { workspaceRoot } from '../launch/node24.cjs'
import { cruise, type Violation } from './cruise.ts'

/** A workspace in which every import is allowed. */
const sound = {
  'package.json': '{ "name": "root", "private": true }',
  'node_modules/pg/package.json': '{ "name": "pg", "main": "index.js" }',
  'node_modules/pg/index.js': 'module.exports = {}',
  'node_modules/undici/package.json': '{ "name": "undici", "main": "index.js" }',
  'node_modules/undici/index.js': 'module.exports = {}',
  'packages/domain/package.json': '{ "name": "domain" }',
  'packages/domain/src/index.ts': "export { one } from './one.ts'",
  'packages/domain/src/one.ts': 'export const one = 1',
  'packages/domain/src/testing/index.ts': 'export const builder = 1',
  'services/ledger/package.json': '{ "name": "ledger", "dependencies": { "pg": "1" } }',
  'services/ledger/src/main.ts':
    "import './config.ts'\nimport './app/port.ts'\nimport './adapters/http/route.ts'\nimport './adapters/postgres/store.ts'",
  'services/ledger/src/config.ts': 'export const config = 1',
  'services/ledger/src/app/port.ts': 'export type Port = 1',
  'services/ledger/src/adapters/http/route.ts': "import type { Port } from '../../app/port.ts'\nexport const route: Port = 1",
  'services/ledger/src/adapters/postgres/store.ts': "import 'pg'\nexport const store = 1",
}

/** For each rule the file that breaks it, and how. */
const breaches: readonly [rule: string, file: string, source: string][] = [
  ['domain-is-pure', 'packages/domain/src/clock.ts', "import 'node:fs'"],
  ['app-is-driverless', 'services/ledger/src/app/use.ts', "import '../adapters/postgres/store.ts'"],
  ['adapters-are-strangers', 'services/ledger/src/adapters/http/reach.ts', "import '../postgres/store.ts'"],
  ['one-driver-one-folder', 'services/ledger/src/shortcut.ts', "import 'pg'"],
  ['outbound-is-guarded', 'services/ledger/src/adapters/http/call.ts', "import 'undici'"],
  ['services-meet-on-the-wire', 'services/reconciler/src/main.ts', "import '../../ledger/src/app/port.ts'"],
  ['by-name-not-by-path', 'services/ledger/src/reach.ts', "import '../../../packages/domain/src/one.ts'"],
  ['only-main-composes', 'services/ledger/src/adapters/http/configured.ts', "import '../../config.ts'"],
  ['no-test-code-in-production', 'services/ledger/src/built.ts', "import '../../../packages/domain/src/testing/index.ts'"],
  ['no-cycle', 'packages/domain/src/cycle-back.ts', "import './cycle.ts'"],
  ['no-orphan', 'packages/domain/src/forgotten.ts', 'export const forgotten = 1'],
  ['resolves', 'services/ledger/src/adapters/http/missing.ts', "import './nowhere.ts'"],
  ['declared', 'services/reconciler/src/adapters/postgres/store.ts', "import 'pg'"],
]

const tree = realpathSync(mkdtempSync(join(tmpdir(), 'a2a-ledger-boundaries-')))
afterAll(() => rmSync(tree, { recursive: true, force: true }))

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, source] of Object.entries(files)) {
    const path = join(tree, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${source}\n`)
  }
}

let found: Violation[]

beforeAll(() => {
  cpSync(join(workspaceRoot, 'tsconfig.base.json'), join(tree, 'tsconfig.base.json'))
  write(sound)
  expect(cruise(tree, ['packages', 'services']).violations).toEqual([])
  write({
    'services/reconciler/package.json': '{ "name": "reconciler" }',
    'packages/domain/src/cycle.ts': "import './cycle-back.ts'",
  })
  write(Object.fromEntries(breaches.map(([, file, source]) => [file, source])))
  found = cruise(tree, ['packages', 'services']).violations
})

test.each(breaches)('%s is red for %s', (rule, file) => {
  expect(found.filter((violation) => violation.rule === rule).map(({ from }) => from)).toContain(file)
})

test('every rule has a file that breaks it', () => {
  const config = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: { name: string }[] }
  expect(breaches.map(([rule]) => rule).toSorted()).toEqual(config.forbidden.map(({ name }) => name).toSorted())
})
