import { feedContract } from './feed-contract.ts'
import { appendEvents } from './ledger-tables.ts'
import { openTestStore } from './open-test-store.ts'

feedContract('the Postgres tail', async () => {
  const test = await openTestStore()
  return {
    ...test,
    append: async (events) => {
      const position = await appendEvents(test.admin, events)
      await test.admin.query('NOTIFY a2a_ledger_head')
      return position
    },
    rewind: async (how) => {
      if ('to' in how) {
        const change = how.to === 'other-ledger' ? 'ledger_id = gen_random_uuid()' : 'epoch = epoch + 1'
        await test.admin.query(`UPDATE ledger.identity SET ${change}`)
        return
      }
      await test.admin.query('ALTER TABLE ledger.events DISABLE TRIGGER ALL')
      await test.admin.query('DELETE FROM ledger.events WHERE position > $1', [how.head])
    },
    breakWakeUp: async () => {
      await test.admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'a2a-ledger-reconciler-listen' AND datname = current_database()",
      )
    },
  }
})
