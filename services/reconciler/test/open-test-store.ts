import { foldVersion } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { createTestDatabase, type TestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { setTimeout as delay } from 'node:timers/promises'
import { createPostgresFactStore } from '../src/adapters/postgres/fact-store.ts'
import { createPostgresFeedReader, type PostgresFeedReader } from '../src/adapters/postgres/feed-reader.ts'
import { createPool } from '../src/adapters/postgres/pool.ts'
import type { FactStore, Log, Timer } from '../src/app/ports.ts'

export interface TestStore {
  readonly database: TestDatabase
  /** As the owner of the tables, behind the service's back. */
  readonly admin: pg.Client
  readonly feed: PostgresFeedReader
  readonly store: FactStore
  /** Another process on the same tables. */
  readonly openStore: (foldVersion?: number) => FactStore
  readonly end: () => Promise<void>
}

/** Feed and store on a database of their own. */
export async function openTestStore(): Promise<TestStore> {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  const pools: pg.Pool[] = []
  const openPool = (schema?: string): pg.Pool => {
    const pool = createPool({
      url: database.reconcilerUrl,
      name: 'reconciler-test',
      connectionsMax: 4,
      ...(schema === undefined ? {} : { schema }),
    })
    pools.push(pool)
    return pool
  }
  const openStore = (version = foldVersion): FactStore =>
    createPostgresFactStore({ pool: openPool('reconciler'), foldVersion: version })
  const feed = createPostgresFeedReader({ pool: openPool(), url: database.reconcilerUrl, decode: nodeCodec.utf8Decode })
  return {
    database,
    admin,
    feed,
    store: openStore(),
    openStore,
    end: async () => {
      await feed.close()
      await Promise.all(pools.map((pool) => pool.end()))
      await admin.end()
      await database.drop()
    },
  }
}

export const testTimer: Timer = { after: async (ms) => delay(ms), elapsedMs: () => performance.now() }

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

export const testFold = { codec: nodeCodec, settings: { graceMs: 30_000, silentAfterMs: 86_400_000 } }
