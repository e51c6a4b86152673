import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInstance, type MortalInstance } from '../fault/instance.ts'

let instance: MortalInstance

beforeAll(async () => {
  instance = await createInstance({ LEASE_TTL_MS: '600000' }) // after SIGKILL nobody waits for what a dead process held
  await instance.start()
})
afterAll(() => instance.remove())

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')

/** The commands below a heading of the README, as a reader would paste them. */
async function paste(heading: string, change: (commands: string) => string = (commands) => commands): Promise<string> {
  const below = readme.slice(readme.indexOf(`## ${heading}\n`))
  const commands = (/```sh\n([\s\S]*?)```/u.exec(below)?.[1] ?? '')
    .replaceAll('http://127.0.0.1:4100', instance.ledgerUrl)
    .replaceAll('http://127.0.0.1:4200', instance.reconcilerUrl)
  return (await promisify(execFile)('bash', ['-euc', change(commands)])).stdout
}

test('the commands of the README do what they say, on a ledger that holds nothing and after SIGKILL', async () => {
  // A reader whose machine is busy would ask again.
  const said = await paste('Try it by hand', (commands) => commands.replaceAll('atLeast=$position', 'atLeast=$position&timeoutMs=60000'))
  expect(said.match(/"outcome":"recorded"/gu)).toHaveLength(3)
  expect(said).toContain('"state":"indeterminate","lastObserved":"working"')
  expect(said).toContain('"findings":[{"cause":')
  expect(said).toContain('"message":"Task not found"')

  await instance.kill()
  await instance.start()
  const again = await fetch(`${instance.reconcilerUrl}/v1/tasks/order-42?atLeast=3&timeoutMs=30000`)
  expect(await again.json()).toMatchObject({ state: 'indeterminate', lastObserved: 'working' })
})

test('a worker that is enrolled as the README says is called through the proxy, and what it answers is recorded', async () => {
  const worker = createServer((request, response) => void response.writeHead(404, { 'content-type': 'application/json' }).end(`{"asked":"${request.url}"}`))
  await once(worker.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = worker.address() as AddressInfo
    const enrolled = () => paste('Without a line of code', (commands) => commands.replaceAll('http://127.0.0.1:9000', `http://127.0.0.1:${port}`))
    await expect.poll(enrolled).toContain(`"interface":{"url":"http://127.0.0.1:${port}"}`)
    const [, baseUrl = ''] = /^# base URL .*: (\S+)$/mu.exec(readme) ?? []
    const url = new URL('tasks/t-1', baseUrl.replace('http://127.0.0.1:4300', instance.proxyUrl))
    await expect.poll(async () => (await fetch(url, { headers: { 'a2a-version': '1.0' } })).text()).toBe('{"asked":"/tasks/t-1"}')
    const recorded = async () => (await fetch(`${instance.ledgerUrl}/v1/events?workerId=w1&type=a2a.error`)).json()
    await expect.poll(recorded).toMatchObject({ events: expect.arrayContaining([expect.objectContaining({ source: 'urn:a2a-ledger:proxy', operation: 'GetTask', taskid: 't-1' })]) })
  } finally {
    worker.closeAllConnections()
    worker.close()
  }
})
