import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInstance, type MortalInstance } from '../fault/instance.ts'

/** The commands of the README's "Try it by hand", as a reader would paste them. */
const commandsOf = (readme: string): string =>
  /## Try it by hand[\s\S]*?```sh\n([\s\S]*?)```/u.exec(readme)?.[1] ?? ''

let instance: MortalInstance

beforeAll(async () => {
  instance = await createInstance()
  await instance.start()
})
afterAll(() => instance.remove())

test('the commands of the README do what they say, on a ledger that holds nothing and after SIGKILL', async () => {
  const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
  const commands = commandsOf(readme)
    .replaceAll('http://127.0.0.1:4100', instance.ledgerUrl)
    .replaceAll('http://127.0.0.1:4200', instance.reconcilerUrl)
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands])
  expect(stdout.match(/"outcome":"recorded"/gu)).toHaveLength(3)
  expect(stdout).toContain('"state":"indeterminate","lastObserved":"working"')
  expect(stdout).toContain('"findings":[{"cause":')
  expect(stdout).toContain('"message":"Task not found"')

  await instance.kill()
  await instance.start()
  const again = await fetch(`${instance.reconcilerUrl}/v1/tasks/order-42?atLeast=3`)
  expect(await again.json()).toMatchObject({ state: 'indeterminate', lastObserved: 'working' })
})
