/** L6: one bad event never harms its neighbours, and an outage is no bad event. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { incoming, task } from './incoming.ts'
import { openTestLedger, type TestLedger } from './open-test-ledger.ts'

let ledger: TestLedger
beforeAll(async () => {
  ledger = await openTestLedger()
  await ledger.admin.query(`
    CREATE TABLE fault (sqlstate text, matching text);
    GRANT SELECT ON fault TO PUBLIC;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE wanted text;
    BEGIN
      SELECT sqlstate INTO wanted FROM fault WHERE NEW.correlation_id LIKE matching;
      IF FOUND THEN RAISE EXCEPTION 'injected' USING ERRCODE = wanted; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fail BEFORE INSERT ON ledger.events FOR EACH ROW EXECUTE FUNCTION fail()`)
})
afterEach(() => ledger.admin.query('DELETE FROM fault'))
afterAll(() => ledger.end())

let batchCount = 0
const batch = (count: number, culprits: readonly number[]) => {
  batchCount += 1
  return Array.from({ length: count }, (_, n) => {
    const name = culprits.includes(n) ? `culprit-${batchCount}-${n}` : `good-${batchCount}-${n}`
    return incoming({ correlationid: name, taskid: name, workerid: 'w', data: task(name) })
  })
}
const inject = (sqlstate: string): Promise<unknown> => ledger.admin.query("INSERT INTO fault VALUES ($1, 'culprit%')", [sqlstate])

test.each([
  ['22P02', 'a value PostgreSQL cannot read'],
  ['22021', 'a character it cannot hold'],
  ['23502', 'a column that may not be null'],
  ['54000', 'a row that is too large'],
])('%s, %s, is poison: the culprits are quarantined, the rest is recorded in order', async (sqlstate) => {
  await inject(sqlstate)
  const events = batch(9, [0, 4, 5])
  const outcomes = await ledger.ledger.append(events)
  expect(outcomes.map(({ outcome }) => outcome)).toEqual([
    'quarantined', 'recorded', 'recorded', 'recorded', 'quarantined', 'quarantined', 'recorded', 'recorded', 'recorded',
  ])
  expect(outcomes[4]).toMatchObject({ reason: 'poison' })
  const id = outcomes[4]?.outcome === 'quarantined' ? outcomes[4].quarantineId : ''
  expect(await ledger.reader.quarantinedInput(id)).toMatchObject({ reason: 'poison', detail: 'injected', bytes: Buffer.from(events[4]?.data ?? []) })
})

test('a CHECK somebody added is poison for what violates it', async () => {
  await ledger.admin.query("ALTER TABLE ledger.events ADD CONSTRAINT no_culprit CHECK (correlation_id NOT LIKE 'culprit%')")
  const outcomes = await ledger.ledger.append(batch(3, [1]))
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['recorded', 'quarantined', 'recorded'])
  await ledger.admin.query('ALTER TABLE ledger.events DROP CONSTRAINT no_culprit')
})

test.each([
  ['53100', 'a full disk', 'store_unavailable'],
  ['53200', 'too little memory', 'store_unavailable'],
  ['57P03', 'a server that is starting', 'store_unavailable'],
  ['08006', 'a broken connection', 'store_unavailable'],
  ['25006', 'a server that became a standby', 'store_unavailable'],
  ['23505', 'a key that somebody wrote without the lock', 'internal'],
  ['42501', 'a right that was taken away', 'store_unavailable'],
])('%s, %s, is no poison: %s, nothing recorded, nothing quarantined', async (sqlstate, _, code) => {
  await inject(sqlstate)
  const events = batch(3, [1])
  const before = await ledger.reader.identity()
  const quarantined = await ledger.reader.quarantined(undefined, 1000, undefined)
  await expect(ledger.ledger.append(events)).rejects.toMatchObject({ code })
  expect(await ledger.reader.identity()).toEqual(before)
  expect(await ledger.reader.quarantined(undefined, 1000, undefined)).toEqual(quarantined)
  await ledger.admin.query('DELETE FROM fault')
  expect(await ledger.ledger.append(events)).toMatchObject([{ outcome: 'recorded' }, { outcome: 'recorded' }, { outcome: 'recorded' }])
})

test('poison that can be stored after all is replayed', async () => {
  await inject('22P02')
  const [outcome] = await ledger.ledger.append(batch(1, [0]))
  await ledger.admin.query('DELETE FROM fault')
  expect(await ledger.ledger.replay(outcome?.outcome === 'quarantined' ? outcome.quarantineId : '')).toMatchObject({ outcome: 'recorded' })
})
