/** The reconciler as a process: its start, its end, its successor, and Postgres or the ledger going away. */
import { once } from 'node:events'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { answered, at, deploy, type Deployment, dispatch, notFound, polled, startReconciler } from './deployment.ts'
import { runService, startService, type ServiceProcess } from '@a2a-ledger/test/support'

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

async function deployed(environment: Readonly<Record<string, string>> = {}): Promise<Deployment> {
  const deployment = await deploy(environment)
  endings.push(() => deployment.end())
  return deployment
}

const stateOf = async (url: string, path: string): Promise<unknown> => {
  const response = await fetch(`${url}${path}`).catch(() => undefined)
  if (response?.ok !== true) return undefined
  const { state } = (await response.json()) as { state: unknown }
  return state
}

/** How many slots each of them applies. */
const sharesOf = (reconcilers: readonly ServiceProcess[]): Promise<readonly number[]> =>
  Promise.all(
    reconcilers.map(async ({ url }) => {
      const { feed } = (await (await fetch(`${url}/readyz`)).json()) as { feed?: { partitions: readonly number[] } }
      return feed?.partitions.length ?? 0
    }),
  )

async function killed({ child }: ServiceProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function rowOf(database: Deployment['database'], statement: string): Promise<unknown> {
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  const { rows } = await admin.query(statement)
  await admin.end()
  return rows[0]
}
const foldedOf = (database: Deployment['database']) =>
  rowOf(
    database,
    `SELECT count(*)::int AS facts, count(DISTINCT position)::int AS positions, max(position)::int AS last
       FROM (SELECT position FROM reconciler.facts UNION ALL SELECT position FROM reconciler.inside_facts) AS fact`,
  )
const verdictsOf = (database: Deployment['database']) =>
  rowOf(database, "SELECT count(*)::int AS verdicts, count(DISTINCT correlation_id)::int AS tasks FROM ledger.events WHERE event_type = 'reconciler.verdict'")

describe('configuration errors', () => {
  test('are reported all at once, without a stack trace, with exit code 1', async () => {
    const { code, stdout, stderr } = await runService('reconciler', {
      HOST: '0.0.0.0', RECONCILER_PORT: 'x', LEDGER_URL: 'ftp://ledger', GRACE_MS: '-1', LOG_LEVEL: 'loud',
    })
    expect(code).toBe(1)
    expect(stdout).toBe('')
    for (const name of ['HOST', 'RECONCILER_PORT', 'LEDGER_URL', 'GRACE_MS', 'LOG_LEVEL', 'DATABASE_URL']) {
      expect(stderr).toContain(name)
    }
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('a database without migrations ends the process with what to run', async () => {
    const { database } = await deployed()
    const admin = new pg.Client({ connectionString: database.adminUrl })
    await admin.connect()
    await admin.query('DELETE FROM reconciler.migration')
    await admin.end()
    const { code, stderr } = await runService('reconciler', { DATABASE_URL: database.ledgerUrl, RECONCILER_DATABASE_URL: database.reconcilerUrl })
    expect(code).toBe(1)
    expect(stderr).toContain('npm run migrate')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('a port that is taken ends the process with a sentence', async () => {
    const { database, reconciler } = await deployed()
    const { code, stderr } = await runService('reconciler', {
      DATABASE_URL: database.ledgerUrl, RECONCILER_DATABASE_URL: database.reconcilerUrl, RECONCILER_PORT: new URL(reconciler.url).port,
    })
    expect(code).toBe(1)
    expect(stderr).toContain('RECONCILER_PORT')
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

/** A lease that nobody here lives to see the end of. */
const forever = { LEASE_TTL_MS: '600000' }

test('SIGTERM ends it with exit code 0, and the next one goes on at once, whatever the lease', async () => {
  const { database, ledger, reconciler, record } = await deployed(forever)
  expect(await reconciler.stop()).toBe(0)
  const position = await record([dispatch('next', 'w'), answered('next', 'w', 't')])
  const next = await startSecond({ database, ledger }, forever)
  expect(await stateOf(next.url, `/v1/tasks/next?atLeast=${position}&timeoutMs=60000`)).toBe('working')
})

test('after SIGKILL the next one goes on at once, whatever the lease', async () => {
  const { database, ledger, reconciler, record } = await deployed(forever)
  const before = await record([dispatch('killed', 'w'), answered('killed', 'w', 't')])
  expect(await stateOf(reconciler.url, `/v1/tasks/killed?atLeast=${before}&timeoutMs=60000`)).toBe('working')
  await killed(reconciler)
  const next = await startSecond({ database, ledger }, forever)
  const position = await record([polled('w', 't', 'TASK_STATE_COMPLETED', 3)])
  expect(await stateOf(next.url, `/v1/tasks/killed?atLeast=${position}&timeoutMs=60000`)).toBe('completed')
})

test('after SIGKILL the others take over at once, whatever the lease, with nothing missing and nothing twice', async () => {
  const { database, ledger, reconciler, record } = await deployed(forever)
  const second = await startSecond({ database, ledger }, forever)
  await expect.poll(() => sharesOf([reconciler, second])).toEqual([6, 6])
  let position = 0
  for (let round = 0; round < 20; round += 1) {
    position = await record([dispatch(`kill-${round}`, 'w'), answered(`kill-${round}`, 'w', `kill-t${round}`), polled('w', `kill-t${round}`, 'TASK_STATE_WORKING', 3)])
    if (round === 10) await killed(reconciler)
  }
  expect(await stateOf(second.url, `/v1/tasks/kill-19?atLeast=${position}&timeoutMs=60000`)).toBe('working')
  expect(await foldedOf(database)).toEqual({ facts: 60, positions: 60, last: 60 })
})

test('processes that start at once share the slots, and one that ends by SIGTERM hands its own over at once', async () => {
  const { database, ledger, reconciler, record } = await deployed(forever)
  const [second, third] = await Promise.all([startSecond({ database, ledger }, forever), startSecond({ database, ledger }, forever)])
  await expect.poll(() => sharesOf([reconciler, second, third])).toEqual([4, 4, 4])
  const tasks = Array.from({ length: 20 }, (_, n) => n)
  let position = 0
  for (const [index, ending] of [reconciler, second].entries()) {
    const [recording, stopped] = [record(tasks.map((n) => dispatch(`ends-${index}-${n}`, 'w'))), ending.stop()]
    position = await recording
    expect(await stopped).toBe(0)
    expect(await stateOf(third.url, `/v1/tasks/ends-${index}-19?atLeast=${position}&timeoutMs=60000`)).toBe('dispatched')
  }
  await expect.poll(() => sharesOf([third])).toEqual([12])
  expect(await foldedOf(database)).toEqual({ facts: position, positions: position, last: position })
})

test('one that was stopped for longer than its lease writes nothing that counts, takes part again, and no verdict is there twice', async () => {
  const own = { LEASE_TTL_MS: '3000', GRACE_MS: '0' }
  const { database, ledger, reconciler, record } = await deployed(own)
  const second = await startSecond({ database, ledger }, own)
  let count = 0
  for (let round = 0; round < 3; round += 1) {
    await expect.poll(() => sharesOf([reconciler, second])).toEqual([6, 6])
    const ids = Array.from({ length: 20 }, (_, n) => `stopped-${round}-${n}`)
    count += ids.length
    const position = await record(ids.flatMap((id) => [dispatch(id, 'w'), answered(id, 'w', id), notFound('w', id, 10)]))
    reconciler.child.kill('SIGSTOP') // somewhere on its way from these events to the verdicts
    expect(await stateOf(second.url, `/v1/tasks/stopped-${round}-19?atLeast=${position}&timeoutMs=60000`)).toBe('indeterminate')
    await expect.poll(() => verdictsOf(database)).toEqual({ verdicts: count, tasks: count })
    reconciler.child.kill('SIGCONT')
  }
  await expect.poll(() => sharesOf([reconciler, second])).toEqual([6, 6])
  const head = await record([dispatch('stopped-last', 'w')])
  expect(await stateOf(reconciler.url, `/v1/tasks/stopped-last?atLeast=${head}&timeoutMs=60000`)).toBe('dispatched')
  expect(await foldedOf(database)).toEqual({ facts: head, positions: head, last: head })
  expect(await verdictsOf(database)).toEqual({ verdicts: count, tasks: count })
})

test('a standby answers with what the other one applied, and asks the ledger itself', async () => {
  const { database, ledger, record } = await deployed()
  const standby = await startSecond({ database, ledger })
  const position = await record([dispatch('standby', 'w'), answered('standby', 'w', 't')])
  expect(await stateOf(standby.url, `/v1/tasks/standby?atLeast=${position}&timeoutMs=60000`)).toBe('working')
  const asked = await fetch(`${standby.url}/v1/tasks/standby/not-found`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workerId: 'w', taskId: 't', time: at(30) }),
  })
  expect(await asked.json()).toMatchObject({ kind: 'unreconcilable' })
})

test('a ledger that is not the one that was read before makes it not ready, and says why', async () => {
  const { database, reconciler, record, get } = await deployed()
  const position = await record([dispatch('rewound', 'w'), answered('rewound', 'w', 't')])
  await get(`/v1/tasks/rewound?atLeast=${position}`)
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  await admin.query('UPDATE ledger.identity SET epoch = epoch + 1')
  await admin.end()
  await record([dispatch('rewound', 'w', 9)])
  await expect.poll(() => get('/readyz')).toMatchObject({ status: 503, body: { code: 'ledger_rewound', status: 503, detail: expect.stringContaining('epoch') } })
  expect(await stateOf(reconciler.url, '/v1/tasks/rewound')).toBe('working')
})

test('connections to Postgres that break are made again', async () => {
  const { database, reconciler, record } = await deployed()
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'a2a-ledger-reconciler%' AND datname = current_database()")
  await admin.end()
  const position = await record([dispatch('broken', 'w'), answered('broken', 'w', 't')])
  await expect.poll(() => stateOf(reconciler.url, `/v1/tasks/broken?atLeast=${position}&timeoutMs=500`)).toBe('working')
})

test('while the ledger does not answer views are served and questions are 503; verdicts follow', async () => {
  const { database, ledger, reconciler, record, get } = await deployed({ GRACE_MS: '0' })
  const position = await record([dispatch('away', 'w'), answered('away', 'w', 't')])
  await get(`/v1/tasks/away?atLeast=${position}`)
  await ledger.stop()
  const asked = await fetch(`${reconciler.url}/v1/tasks/away/not-found`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workerId: 'w', taskId: 't' }),
  })
  expect(asked.status).toBe(503)
  expect(asked.headers.get('retry-after')).toBe('1')
  expect(await stateOf(reconciler.url, '/v1/tasks/away')).toBe('working')
  const again = await startService('ledger', { DATABASE_URL: database.ledgerUrl, LEDGER_PORT: new URL(ledger.url).port })
  endings.push(() => again.stop())
  await fetch(`${again.url}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents-batch+json' },
    body: JSON.stringify([{ specversion: '1.0', id: 'late', source: 'urn:test', ...notFound('w', 't', 20) }]),
  })
  await expect
    .poll(async () => ((await get('/v1/tasks/away')).body as { verdict?: { kind: string } }).verdict?.kind)
    .toBe('unreconcilable')
})

async function startSecond(...deployment: Parameters<typeof startReconciler>): Promise<ServiceProcess> {
  const second = await startReconciler(...deployment)
  endings.push(() => second.stop())
  return second
}
