/** A fresh fold says what the views in use say, byte by byte; and it can take their place. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkRebuild, rebuild, type RebuildOptions } from '../src/rebuild.ts'
import { answered, at, card, deploy, type Deployment, dispatch, notFound, polled } from './deployment.ts'

let it: Deployment
let options: RebuildOptions
let admin: pg.Client
beforeAll(async () => {
  it = await deploy()
  options = {
    adminUrl: it.database.adminUrl, feedUrl: it.database.adminUrl, graceMs: 30_000, silentAfterMs: 86_400_000, say: () => undefined,
  }
  admin = new pg.Client({ connectionString: it.database.adminUrl })
  await admin.connect()
  await it.put('/v1/workers/r-w2', { mesh: 'r', trust: 'card', interface: { url: 'https://w2.example', headers: { 'x-key': 'secret' } } })
  await it.put('/v1/workers/r-w1', { mesh: 'r' })
  await it.record([card('r-w2', ['application/json'], ['working', 'completed'])])
  const fetched = (second: number, modes: readonly string[]) => ({ ...card('r-w3', modes, ['working']), time: at(second) })
  for (let from = 0; from < 60; from += 20) await it.record(Array.from({ length: 20 }, (_, n) => fetched(from + n, ['text/plain'])))
  await it.record([fetched(60, ['text/html'])])
  const history = Array.from({ length: 30 }, (_, n) => [
    dispatch(`r-${n}`, 'r-w1', n), answered(`r-${n}`, 'r-w1', `r-t${n}`, 'TASK_STATE_WORKING', n + 1),
    ...Array.from({ length: n * 10 }, (__, poll) => polled('r-w1', `r-t${n}`, 'TASK_STATE_WORKING', n + 2 + poll)),
    ...(n % 3 === 0 ? [notFound('r-w1', `r-t${n}`, 400)] : []),
    ...(n % 7 === 0 ? [{ type: 'a2a.worker-restarted', workerid: 'r-w1', time: at(399), data: {} }] : []),
  ]).flat()
  let position = 0
  for (let start = 0; start < history.length; start += 500) position = await it.record(history.slice(start, start + 500))
  // Late facts fall inside runs that were left out by then; a synthetic stream gets its task.
  await it.get(`/v1/tasks?atLeast=${position}&timeoutMs=60000`)
  await it.record([polled('r-w1', 'r-t29', 'TASK_STATE_INPUT_REQUIRED', 100.5), polled('r-w1', 'syn-t', 'TASK_STATE_WORKING', 3)])
  position = await it.record([dispatch('syn', 'r-w1', 1), answered('syn', 'r-w1', 'syn-t', 'TASK_STATE_SUBMITTED', 2)])
  await it.get(`/v1/tasks?atLeast=${position}&timeoutMs=60000`)
})
afterAll(async () => {
  await admin?.end()
  await it?.end()
})

test('long tasks are read without the inside of their runs', async () => {
  const { rows } = await admin.query('SELECT count(*)::int AS n FROM reconciler.inside_facts')
  expect(rows[0].n).toBeGreaterThan(100)
})

test('of a card that was fetched again and again the first and the last fetch are kept', async () => {
  const { rows } = await admin.query<{ position: number; count: number | null }>(
    `SELECT position::int, (fact->'run'->>'count')::int AS count FROM reconciler.worker_facts
      WHERE fact->>'kind' = 'card' AND fact->>'workerId' = 'r-w3' ORDER BY position`,
  )
  expect(rows.map(({ count }) => count)).toEqual([null, 60, null])
  const { body } = await it.get('/v1/workers/r-w3')
  expect(body.cards).toMatchObject([
    { firstSeen: at(0), lastSeen: at(59), positions: [rows[0]?.position, rows[1]?.position] },
    { firstSeen: at(60), lastSeen: at(60) },
  ])
})

test('every view is the same', async () => {
  expect(await checkRebuild(options)).toEqual({ taskCount: 31, workerCount: 3 })
})

test('a row that says something else is found and shown', async () => {
  await admin.query(`UPDATE reconciler.facts SET fact = replace(fact::text, 'working', 'failed')::json
                      WHERE position = (SELECT min(position) FROM reconciler.facts WHERE fact->>'kind' = 'report')`)
  const { difference } = await checkRebuild(options)
  expect(difference).toMatchObject({ of: 'task r-0', live: expect.stringContaining('failed') })
})

const applied = async () => {
  const { rows } = await admin.query<{ position: number; epoch: number }>(
    'SELECT min(complete_position)::int AS position, (SELECT epoch FROM reconciler.meta) AS epoch FROM reconciler.feed_partitions',
  )
  return rows[0]
}

test('a rebuild takes the place of what was wrong, while the services go on', async () => {
  await rebuild(options)
  const position = await it.record([polled('r-w1', 'r-t1', 'TASK_STATE_COMPLETED', 500)])
  const { body } = await it.get(`/v1/tasks/r-1?atLeast=${position}&timeoutMs=60000`)
  expect(body.state).toBe('completed')
  await it.get(`/v1/tasks?atLeast=${position}&timeoutMs=60000`)
  expect((await checkRebuild(options)).difference).toBeUndefined()
  const { rows } = await admin.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'reconciler%'")
  expect(rows).toEqual([{ nspname: 'reconciler' }])
  const { rows: secrets } = await admin.query('SELECT headers FROM reconciler.worker_secrets')
  expect(secrets).toEqual([{ headers: { 'x-key': 'secret' } }])
})

test('a rebuild repairs what was folded of a later state of the ledger, or of another epoch (L7)', async () => {
  const head = async () => ((await (await fetch(`${it.ledger.url}/readyz`)).json()) as { readonly head: number }).head
  await expect.poll(async () => (await applied())?.position === (await head())).toBe(true) // verdicts of what was lost are events too
  const before = await applied()
  await admin.query('UPDATE reconciler.feed_partitions SET complete_position = complete_position + 1000')
  await it.record([polled('r-w1', 'r-t2', 'TASK_STATE_WORKING', 600)])
  await expect.poll(async () => (await it.get('/readyz')).body.code).toBe('ledger_rewound')
  await rebuild(options)
  expect(await applied()).toEqual({ position: (before?.position ?? 0) + 1, epoch: 1 })

  await admin.query('UPDATE reconciler.feed_partitions SET complete_position = complete_position + 1000')
  await admin.query('UPDATE ledger.identity SET epoch = 2')
  await rebuild(options)
  expect(await applied()).toEqual({ position: (before?.position ?? 0) + 1, epoch: 2 })
  expect((await checkRebuild(options)).difference).toBeUndefined()
})
