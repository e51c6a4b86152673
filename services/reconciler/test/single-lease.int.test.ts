/** Tables of the version in which one process led the Postgres tail by a single lease: it goes on where that was. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { foldVersion } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { applyMigrationFiles } from '@a2a-ledger/service-kit/migrations'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeChange } from '../src/adapters/postgres/apply-change.ts'
import { noteLedger } from '../src/adapters/postgres/feed-places.ts'
import { migrationsFolder } from '../src/adapters/postgres/migrations.ts'
import { changeOf } from '../src/app/feed-change.ts'
import { migrateReconciler } from '../src/migrate.ts'
import { appendEvents, seenTask } from './ledger-tables.ts'
import { openTestStore, type TestStore } from './open-test-store.ts'

/** The last migration that the former version has. */
const lastOfFormer = 9
const formerEpoch = 3
let it: TestStore

beforeEach(async () => {
  it = await openTestStore()
  const folder = await mkdtemp(join(tmpdir(), 'a2a-ledger-former-'))
  for (const name of await readdir(migrationsFolder)) {
    if (Number(name.slice(0, 4)) <= lastOfFormer) await cp(join(migrationsFolder, name), join(folder, name))
  }
  await it.admin.query('DROP SCHEMA reconciler CASCADE')
  await applyMigrationFiles(it.admin, 'reconciler', folder)
  await rm(folder, { recursive: true })
  await it.admin.query('SET search_path = reconciler')
  await it.admin.query('INSERT INTO meta (fold_version) VALUES ($1)', [foldVersion])
  await it.admin.query(
    `INSERT INTO feed_offsets (feed_group, feed_partition, fencing_epoch, owner, lease_until)
     VALUES ('reconciler', 0, $1, 'former', clock_timestamp() + interval '1 hour')`,
    [formerEpoch],
  )
})
afterEach(() => it.end())

/** As the former version applied: everything after its offset, while the epoch is its own. */
async function applyAsFormer(): Promise<'applied' | 'fenced'> {
  const { rows } = await it.admin.query<{ next_position: string; fencing_epoch: string }>('SELECT next_position, fencing_epoch FROM feed_offsets')
  if (Number(rows[0]?.fencing_epoch) !== formerEpoch) return 'fenced'
  const { events, ledger } = await it.feed.after(Number(rows[0]?.next_position) - 1, 100)
  const last = events.at(-1)
  if (last === undefined || ledger === undefined) throw new Error('there is nothing to apply')
  await noteLedger(it.admin, ledger)
  await writeChange(it.admin, changeOf(events, ledger, nodeCodec))
  await it.admin.query('UPDATE feed_offsets SET next_position = $1', [last.position + 1])
  return 'applied'
}
const appliedPosition = async (): Promise<number> => (await it.store.progress()).appliedPosition
const positionsOf = async (correlationId: string): Promise<readonly number[]> => {
  const lookup = (await it.store.wholeTasks([correlationId])).content.get(correlationId)
  return lookup?.outcome === 'found' ? lookup.record.facts.map(({ position }) => position) : []
}

test('after the migration the former version goes on, until a process takes slots, which go on from there', async () => {
  await appendEvents(it.admin, [...seenTask('k1', 2), ...seenTask('k2', 1)])
  expect(await applyAsFormer()).toBe('applied')
  await migrateReconciler(it.database.adminUrl, it.database.reconcilerUrl)
  expect(await appliedPosition()).toBe(3)
  await appendEvents(it.admin, seenTask('k1', 1))
  expect(await applyAsFormer()).toBe('applied')

  await appendEvents(it.admin, [...seenTask('k2', 1), ...seenTask('k3', 1)])
  const { leases } = await it.openSlots().take('first', { countMax: 1, held: [] })
  expect(leases).toMatchObject([{ completePosition: 4 }])
  expect(await applyAsFormer()).toBe('fenced')
  expect(await appliedPosition()).toBe(4)
  await it.admin.query("UPDATE feed_partitions SET lease_until = '-infinity' WHERE owner = 'first'")
  await it.applyAll()
  expect(await appliedPosition()).toBe(6)
  expect([await positionsOf('k1'), await positionsOf('k2'), await positionsOf('k3')]).toEqual([[1, 2, 4], [3, 5], [6]])
})

test('a former version that starts later finds that it must not apply', async () => {
  await migrateReconciler(it.database.adminUrl, it.database.reconcilerUrl)
  await it.openSlots().take('first', { countMax: Infinity, held: [] })
  // What it asks before it takes the lease, and refuses to go on for.
  const { rows } = await it.admin.query<{ topic: string }>('SELECT topic FROM feed_partitions LIMIT 1')
  expect(rows).toEqual([{ topic: 'ledger.feed_v1' }])
})
