import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { oneAtATime, socketOf } from '../workers/one-at-a-time.ts'

test('who comes while somebody works waits, and everybody has a turn', async () => {
  const name = randomUUID()
  const seen: string[] = []
  const work = (who: string) =>
    oneAtATime(name, async () => {
      seen.push(`${who} begins`)
      for (let turns = 0; turns < 20; turns += 1) await turn()
      seen.push(`${who} ends`)
      return who
    })
  const everybody = ['a', 'b', 'c', 'd']
  expect(await Promise.all(everybody.map(work))).toEqual(everybody)
  const order = seen.filter((_, index) => index % 2 === 0).map((line) => line[0])
  expect(order.toSorted()).toEqual(everybody)
  expect(seen).toEqual(order.flatMap((who) => [`${who} begins`, `${who} ends`]))
})

test('work that fails fails for its caller alone', async () => {
  const name = randomUUID()
  const failing = oneAtATime(name, () => Promise.reject(new Error('no disk')))
  await expect(failing).rejects.toThrow('no disk')
  expect(await oneAtATime(name, async () => 'done')).toBe('done')
})

test.each(['waits for it', 'comes later'])('the place of a process that was killed is taken over by one that %s', async (who) => {
  const name = randomUUID()
  const listening = `require('node:net').createServer().listen(${JSON.stringify(socketOf(name))}, () => console.log('there'))`
  const holder = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  const work = () => oneAtATime(name, async () => 'done')
  const waiting = who === 'waits for it' ? work() : undefined
  const gone = once(holder, 'exit')
  holder.kill('SIGKILL')
  await gone
  if (waiting === undefined) expect(existsSync(socketOf(name))).toBe(true)
  expect(await (waiting ?? work())).toBe('done')
})
