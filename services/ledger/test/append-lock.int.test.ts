/** L4, L5, L8: many writers, one order, and nobody who can freeze it. */
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLedger } from '../src/adapters/postgres/open-ledger.ts'
import { incoming, task } from './incoming.ts'
import { openTestLedger, type TestLedger } from './open-test-ledger.ts'

let ledger: TestLedger
beforeAll(async () => {
  ledger = await openTestLedger({ lockTimeoutMs: 1_500 })
})
afterAll(() => ledger.end())

/** Databases that are made of the same template have the same numbers for their tables. */
const ofOwnLock = "relation = 'ledger.append_lock'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"

const open = () => openLedger({ databaseUrl: ledger.database.ledgerUrl, codec: nodeCodec, report: () => undefined, readersMax: 2 })

test('L4: eight writers at once: positions are dense, and a reader behind any position misses nothing', async () => {
  const writers = await Promise.all(Array.from({ length: 8 }, open))
  const seen: number[] = []
  let isWriting = true
  const tail = async (): Promise<void> => {
    for (;;) {
      const wasWriting = isWriting
      const page = await ledger.reader.events({}, seen.at(-1) ?? 0, 500)
      seen.push(...page.map(({ position }) => position))
      if (page.length === 0 && !wasWriting) return
    }
  }
  const reading = tail()
  const acknowledged = await Promise.all(
    writers.map(async (writer, at) => {
      const positions: number[] = []
      for (let round = 0; round < 10; round += 1) {
        const batch = Array.from({ length: 13 }, (_, n) =>
          incoming({ workerid: `w-${at}`, correlationid: `k-${at}-${n}`, taskid: `t-${n}`, data: task(`t-${n}`, 'TASK_STATE_WORKING', { metadata: { round } }) }),
        )
        for (const outcome of await writer.ledger.append(batch)) if (outcome.outcome === 'recorded') positions.push(outcome.position)
      }
      return positions
    }),
  )
  isWriting = false
  await reading
  await Promise.all(writers.map((writer) => writer.close()))
  const expected = Array.from({ length: 8 * 10 * 13 }, (_, index) => index + 1)
  expect(acknowledged.flat().toSorted((one, other) => one - other)).toEqual(expected)
  expect(seen).toEqual(expected)
})

test('L4: requests that arrive together are one transaction, in the order in which they came', async () => {
  const { rows: before } = await ledger.admin.query('SELECT count(DISTINCT xmin::text) AS n FROM ledger.events')
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => ledger.ledger.append([incoming({ correlationid: `g-${n}`, taskid: `g-${n}` })])))
  const positions = outcomes.flat().map((outcome) => (outcome.outcome === 'recorded' ? outcome.position : 0))
  expect(positions).toEqual(positions.toSorted((one, other) => one - other))
  const { rows: after } = await ledger.admin.query('SELECT count(DISTINCT xmin::text) AS n FROM ledger.events')
  expect(Number(after[0].n) - Number(before[0].n)).toBe(1)
})

test('L4: time does not go back when the clock does', async () => {
  await ledger.admin.query('BEGIN; SET LOCAL session_replication_role = replica')
  await ledger.admin.query("UPDATE ledger.events SET recorded_at = clock_timestamp() + interval '1 hour' WHERE position = (SELECT max(position) FROM ledger.events)")
  await ledger.admin.query('COMMIT')
  const [outcome] = await ledger.ledger.append([incoming({ correlationid: 'k', taskid: 'clock' })])
  const position = outcome?.outcome === 'recorded' ? outcome.position : 0
  const [one, other] = await ledger.reader.events({}, position - 2, 2)
  expect(other?.recordedAtMs).toBe(one?.recordedAtMs)
})

const holdLock = async (applicationName: string): Promise<pg.Client> => {
  const holder = new pg.Client({ connectionString: ledger.database.ledgerUrl, application_name: applicationName })
  holder.on('error', () => undefined)
  await holder.connect()
  await holder.query('SET ROLE a2a_ledger_service')
  await holder.query('BEGIN')
  await holder.query('LOCK TABLE ledger.append_lock IN EXCLUSIVE MODE')
  return holder
}

test('L5: a ledger that froze inside its transaction is ended by one that waits for it', async () => {
  await holdLock('a2a-ledger')
  expect(await ledger.ledger.append([incoming({ correlationid: 'k', taskid: 'frozen' })])).toMatchObject([{ outcome: 'recorded' }])
})

test('L5: a session that is no ledger is left alone, and the wait for it ends', async () => {
  const holder = await holdLock('psql')
  await expect(ledger.ledger.append([incoming({ correlationid: 'k', taskid: 'held' })])).rejects.toMatchObject({ code: 'store_unavailable' })
  await holder.query('ROLLBACK')
  await holder.end()
  expect(await ledger.ledger.append([incoming({ correlationid: 'k', taskid: 'held' })])).toMatchObject([{ outcome: 'recorded' }])
})

test('L8: listeners hear of the newest head after it is committed', async () => {
  const heard: number[] = []
  const listener = new pg.Client({ connectionString: ledger.database.ledgerUrl })
  await listener.connect()
  await listener.query('LISTEN a2a_ledger_head')
  listener.on('notification', ({ payload }) => void heard.push(Number(payload)))
  for (let n = 0; n < 5; n += 1) await ledger.ledger.append([incoming({ correlationid: 'k', taskid: `heard-${n}` })])
  const { head } = await ledger.reader.identity()
  await expect.poll(() => heard.at(-1)).toBe(head)
  expect(heard).toEqual(heard.toSorted((one, other) => one - other))
  await listener.end()
})

test('L4: too much that waits is refused at once, decisions are not shut out by it', async () => {
  const narrow = await openLedger({
    databaseUrl: ledger.database.ledgerUrl, codec: nodeCodec, report: () => undefined, lockTimeoutMs: 600_000,
    queueLimits: { waitingBytesMax: 4_000 },
  })
  const holder = await holdLock('psql')
  const first = narrow.ledger.append([incoming({ correlationid: 'k', taskid: 'q-0' })])
  // The first one is being written; what comes now waits.
  await expect.poll(async () => (await ledger.admin.query(`SELECT FROM pg_locks WHERE ${ofOwnLock} AND NOT granted`)).rowCount).toBe(1)
  const waiting = Array.from({ length: 4 }, (_, n) => narrow.ledger.append([incoming({ correlationid: 'k', taskid: `q-${n + 1}` })]))
  await expect(narrow.ledger.append([incoming({ correlationid: 'k', taskid: 'q-9', data: task('q-9', 'TASK_STATE_WORKING', { metadata: { a: 'x'.repeat(3_000) } }) })])).rejects.toMatchObject({ code: 'overloaded' })
  const decision = narrow.ledger.append([incoming({ via: 'internal', type: 'reconciler.verdict', correlationid: 'k', data: { kind: 'resume' } })])
  await holder.query('ROLLBACK')
  await holder.end()
  const [done] = await decision
  expect(done).toMatchObject({ outcome: 'recorded' })
  expect((await Promise.all([first, ...waiting])).flat()).toMatchObject(Array.from({ length: 5 }, () => ({ outcome: 'recorded' })))
  await narrow.close()
})
