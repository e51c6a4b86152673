import { foldVersion } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { createTestDatabase, type TestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { setTimeout as delay } from 'node:timers/promises'
import { createPostgresFactStore } from '../src/adapters/postgres/fact-store.ts'
import { createPostgresFeedReader, type PostgresFeedReader } from '../src/adapters/postgres/feed-reader.ts'
import { createPool, type PoolOptions } from '../src/adapters/postgres/pool.ts'
import { createPostgresSlotStore, type SlotStoreOptions } from '../src/adapters/postgres/slot-store.ts'
import { applyNext, leastOf, type Place } from '../src/app/apply-from-ledger.ts'
import type { SlotStore } from '../src/app/partition-store.ts'
import type { FactStore, Log, Timer } from '../src/app/ports.ts'

export interface TestStore {
  readonly database: TestDatabase
  /** As the owner of the tables, behind the service's back. */
  readonly admin: pg.Client
  readonly feed: PostgresFeedReader
  readonly store: FactStore
  /** Connections of another process to the same tables. */
  readonly openPool: (options?: Partial<PoolOptions>) => pg.Pool
  /** What a process that shares the slots keeps open. */
  readonly openSession: () => pg.Pool
  /** Another process that shares the slots; a lease is longer than a test, if nothing else is said. */
  readonly openSlots: (options?: Partial<SlotStoreOptions>) => SlotStore
  /** Applies everything that is recorded, as the one process there is. */
  readonly applyAll: () => Promise<void>
  readonly end: () => Promise<void>
}

/** Feed and store on a database of their own. */
export async function openTestStore(): Promise<TestStore> {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  const pools: pg.Pool[] = []
  const open = (options: Partial<PoolOptions> = {}): pg.Pool => {
    const pool = createPool({ url: database.reconcilerUrl, name: 'reconciler-test', connectionsMax: 4, ...options })
    pools.push(pool)
    return pool
  }
  const openPool = (options: Partial<PoolOptions> = {}) => open({ schema: 'reconciler', ...options })
  const openSession = () => openPool({ name: 'reconciler-test-member', connectionsMax: 1, isKeptOpen: true })
  const openSlots = (options: Partial<SlotStoreOptions> = {}): SlotStore =>
    createPostgresSlotStore({ pool: openPool(), session: openSession(), foldVersion, leaseTtlMs: 600_000, ...options })
  const feed = createPostgresFeedReader({ pool: open(), url: database.reconcilerUrl, decode: nodeCodec.utf8Decode })
  const slots = openSlots()
  return {
    database,
    admin,
    feed,
    store: createPostgresFactStore(openPool()),
    openPool,
    openSession,
    openSlots,
    applyAll: async () => {
      const { leases, partitionCount, ledger } = await slots.take('test', { countMax: Infinity, held: [] })
      const places = leases.map((lease): Place => ({ lease }))
      const ports = { feed, store: slots, codec: nodeCodec, log: silentLog, onApplied: () => undefined }
      const head = await feed.head()
      while (leastOf(places) < head) await applyNext(ports, places, { partitionCount, applied: ledger, countMax: 1_000 })
    },
    end: async () => {
      await feed.close()
      await Promise.all(pools.map(async (pool) => pool.ended || pool.end()))
      await admin.end()
      await database.drop()
    },
  }
}

export const testTimer: Timer = { after: async (ms) => delay(ms), elapsedMs: () => performance.now() }

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

export const testFold = { codec: nodeCodec, settings: { graceMs: 30_000, silentAfterMs: 86_400_000 } }
