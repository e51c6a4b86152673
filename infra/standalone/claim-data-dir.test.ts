import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { claimDataDir } from './claim-data-dir.ts'

const root = mkdtempSync(join(tmpdir(), 'a2a-ledger-claim-'))
afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

test('a folder below folders that are not there is made and claimed until it is released', () => {
  const dataDir = join(root, 'a', 'b')
  const { release } = claimDataDir(dataDir)
  expect(readFileSync(join(dataDir, 'standalone.pid'), 'utf8')).toBe(String(process.pid))
  release()
  expect(existsSync(join(dataDir, 'standalone.pid'))).toBe(false)
})

test.runIf(existsSync('/proc/self'))('a folder that cannot be made is a sentence at once', () => {
  expect(() => claimDataDir('/proc/x/y')).toThrow(/^The folder \/proc\/x\/y cannot be made: .* Set DATA_DIR to one that can\.$/)
})
