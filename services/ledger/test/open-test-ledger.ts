import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { createTestDatabase, type TestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { openLedger, type OpenLedger, type OpenLedgerOptions } from '../src/adapters/postgres/open-ledger.ts'

export interface TestLedger extends OpenLedger {
  readonly database: TestDatabase
  /** As the owner of the tables, behind the ledger's back. */
  readonly admin: pg.Client
  readonly problems: unknown[]
  readonly end: () => Promise<void>
}

/** A ledger on a database of its own. */
export async function openTestLedger(options: Partial<OpenLedgerOptions> = {}): Promise<TestLedger> {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  const problems: unknown[] = []
  const opened = await openLedger({
    databaseUrl: database.ledgerUrl,
    codec: nodeCodec,
    report: (problem) => void problems.push(problem),
    ...options,
  })
  return {
    ...opened,
    database,
    admin,
    problems,
    end: async () => {
      await opened.close()
      await admin.end()
      await database.drop()
    },
  }
}
