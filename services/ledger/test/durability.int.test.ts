/** L1: acknowledged means durable, and what is not known is said to be unknown. */
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLedger, type OpenLedger } from '../src/adapters/postgres/open-ledger.ts'
import { incoming } from './incoming.ts'
import { createLossyConnection, type LossyConnection } from './lossy-connection.ts'
import { openTestLedger, type TestLedger } from './open-test-ledger.ts'

let direct: TestLedger
let relay: LossyConnection
let lossy: OpenLedger
beforeAll(async () => {
  direct = await openTestLedger()
  relay = await createLossyConnection(direct.database.ledgerUrl)
  lossy = await openLedger({ databaseUrl: relay.url, codec: nodeCodec, report: () => undefined, connectTimeoutMs: 20_000 })
})
afterAll(async () => {
  await lossy.close()
  await relay.close()
  await direct.end()
})

const events = (...ids: readonly string[]) => ids.map((id) => incoming({ id, correlationid: `k-${id}`, taskid: 't', workerid: `w-${id}` }))
const recordedIds = async (): Promise<readonly string[]> =>
  (await direct.reader.events({}, 0, 1000)).map(({ attributes: { id } }) => id)

test('an answer lost after the commit is found by its keys: recorded, not a duplicate', async () => {
  relay.loseNextCommit('come back')
  const outcomes = await lossy.ledger.append(events('a-1', 'a-2'))
  expect(outcomes).toMatchObject([
    { outcome: 'recorded', position: 1 },
    { outcome: 'recorded', position: 2 },
  ])
  expect(await recordedIds()).toEqual(['a-1', 'a-2'])
})

test('an answer lost before the commit is a commit that is tried again', async () => {
  await direct.admin.query(`
    CREATE FUNCTION pg_temp_kill() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM once) THEN RETURN NULL; END IF;
      PERFORM pg_sleep(600);
      RETURN NULL;
    END $$;
    CREATE TABLE once ();
    GRANT SELECT ON once TO PUBLIC;
    CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON ledger.event_key DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION pg_temp_kill()`)
  const appended = lossy.ledger.append(events('b-1'))
  const committing = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'a2a-ledger' AND query = 'COMMIT' AND wait_event = 'PgSleep'"
  await expect.poll(async () => (await direct.admin.query(`SELECT ${committing}`)).rowCount).toBe(1)
  await direct.admin.query('INSERT INTO once DEFAULT VALUES')
  await direct.admin.query(`SELECT pg_terminate_backend(pid) ${committing}`)
  expect(await appended).toMatchObject([{ outcome: 'recorded', position: 3 }])
  expect(await recordedIds()).toEqual(['a-1', 'a-2', 'b-1'])
  await direct.admin.query('DROP TRIGGER slow_commit ON ledger.event_key')
})

test('an answer lost with the server out of reach is outcome_unknown, and sending again is safe', async () => {
  relay.loseNextCommit('stay away')
  const sent = events('c-1')
  await expect(lossy.ledger.append(sent)).rejects.toMatchObject({ code: 'outcome_unknown' })
  await expect(lossy.ledger.append(events('c-2'))).rejects.toMatchObject({ code: 'store_unavailable' })
  relay.comeBack()
  expect(await lossy.ledger.append(sent)).toMatchObject([{ outcome: 'duplicate', position: 4 }])
  expect(await recordedIds()).not.toContain('c-2')
})

test('a warning on COMMIT is no acknowledgement', async () => {
  await direct.admin.query(`
    CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE WARNING 'canceling wait for synchronous replication due to user request';
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER warn_at_commit AFTER INSERT ON ledger.event_key DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION warn()`)
  await expect(lossy.ledger.append(events('d-1'))).rejects.toMatchObject({ code: 'outcome_unknown' })
  await direct.admin.query('DROP TRIGGER warn_at_commit ON ledger.event_key')
  expect(await lossy.ledger.append(events('d-2'))).toMatchObject([{ outcome: 'recorded' }])
})

test('a backend that is killed in the middle of a batch leaves nothing half recorded, and the next append works', async () => {
  await direct.admin.query(`
    CREATE FUNCTION kill_me() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.event_type = 'a2a.dispatch' THEN PERFORM pg_sleep(600); END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER slow BEFORE INSERT ON ledger.events FOR EACH ROW EXECUTE FUNCTION kill_me()`)
  const before = await recordedIds()
  const batch = [...events('e-1', 'e-2'), incoming({ id: 'e-3', type: 'a2a.dispatch', operation: 'SendMessage', correlationid: 'k', data: '{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"a"}]}}' })]
  const appended = lossy.ledger.append(batch)
  const refused = expect(appended).rejects.toMatchObject({ code: 'store_unavailable' })
  let killedCount = 0
  const killer = setInterval(async () => {
    const { rowCount } = await direct.admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'a2a-ledger' AND query LIKE 'COPY ledger.events%' AND state = 'active'",
    )
    killedCount += rowCount ?? 0
  }, 50)
  await refused
  clearInterval(killer)
  expect(killedCount).toBeGreaterThan(0)
  expect(await recordedIds()).toEqual(before)
  await direct.admin.query('DROP TRIGGER slow ON ledger.events')
  expect(await lossy.ledger.append(batch)).toMatchObject([{ outcome: 'recorded' }, { outcome: 'recorded' }, { outcome: 'recorded' }])
})

test('L7: a log that lost its end takes no more events until somebody looked at it', async () => {
  const rewound = await openTestLedger()
  await rewound.ledger.append(events('g-1', 'g-2'))
  await rewound.admin.query('BEGIN; SET LOCAL session_replication_role = replica')
  await rewound.admin.query('DELETE FROM ledger.events WHERE position = 2')
  await rewound.admin.query('COMMIT')
  await expect(rewound.ledger.append(events('g-3'))).rejects.toMatchObject({ code: 'ledger_rewound' })
  await rewound.end()
})

test('durability is local without a synchronous standby', async () => {
  expect(await direct.reader.durability()).toBe('local')
})

test('commits wait for the disk even where the database defaults to not waiting', async () => {
  await direct.admin.query(`ALTER DATABASE ${direct.database.name} SET synchronous_commit = off`)
  const strict = await openLedger({ databaseUrl: direct.database.ledgerUrl, codec: nodeCodec, report: () => undefined })
  await direct.admin.query(`
    CREATE TABLE seen (setting text);
    GRANT INSERT ON seen TO PUBLIC;
    CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
    CREATE TRIGGER look AFTER INSERT ON ledger.event_key FOR EACH STATEMENT EXECUTE FUNCTION look()`)
  await strict.ledger.append(events('f-1'))
  await strict.close()
  const { rows } = await direct.admin.query('SELECT setting FROM seen')
  expect(rows).toEqual([{ setting: 'on' }])
})
