/**
 * L1, L2, L4, L5: a ledger that was stopped at any message of its append transaction, lost the lock to
 * another one meanwhile, and goes on.
 */
import { LedgerError } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { seededRandom } from '@a2a-ledger/test/support'
import { expect, test } from 'vitest'
import { openLedger } from '../src/adapters/postgres/open-ledger.ts'
import type { IncomingEvent, Ledger } from '../src/app/ports.ts'
import { createFreezingConnection, type Direction } from './freezing-connection.ts'
import { incoming } from './incoming.ts'
import { openTestLedger } from './open-test-ledger.ts'

const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000)
const roundCount = Number(process.env['FAULT_ROUNDS'] ?? 200)
/** Databases side by side. */
const laneCount = 4
/** How long one ledger waits for the lock of another; how long a silent holder is left alone is half of it. */
const lockTimeoutMs = 60

/** Sends the same until it is acknowledged, as a client does; positions by id. */
async function appendUntilAcknowledged(ledger: Ledger, events: readonly IncomingEvent[]): Promise<ReadonlyMap<string, number>> {
  for (;;) {
    try {
      const outcomes = await ledger.append(events)
      return new Map(
        outcomes.map((outcome, index) => {
          if (outcome.outcome !== 'recorded' && outcome.outcome !== 'duplicate') throw new Error(`an event was ${outcome.outcome}`)
          return [events[index]?.attributes.id ?? '', outcome.position]
        }),
      )
    } catch (error) {
      if (!(error instanceof LedgerError) || error.kind !== 'unavailable') throw error
    }
  }
}

/** One database through `count` rounds. Answers how often the zombie held the lock. */
async function runLane(lane: number, count: number): Promise<number> {
  const random = seededRandom(seed + lane)
  const some = (max: number): number => 1 + Math.floor(random() * max)
  const direct = await openTestLedger({ lockTimeoutMs })
  const way = await createFreezingConnection(direct.database.ledgerUrl)
  const zombie = await openLedger({ databaseUrl: way.url, codec: nodeCodec, report: () => undefined, lockTimeoutMs, connectTimeoutMs: 60_000 })
  const acknowledged = new Map<string, number>()
  const acknowledge = (positions: ReadonlyMap<string, number>): void => {
    for (const [id, position] of positions) {
      expect(acknowledged.get(id) ?? position).toBe(position)
      acknowledged.set(id, position)
    }
  }
  const batches: (readonly string[])[] = []
  const batch = (): readonly IncomingEvent[] => {
    const number = batches.length
    const events = Array.from({ length: some(4) }, (_, index) =>
      incoming({ id: `${number}-${index}`, correlationid: `c-${some(9)}`, taskid: `t-${number}-${index}`, workerid: `w-${some(3)}` }),
    )
    batches.push(events.map(({ attributes }) => attributes.id))
    return events
  }
  const holdsLock = async (): Promise<boolean> => {
    const { rowCount } = await direct.admin.query(
      "SELECT FROM pg_locks WHERE relation = 'ledger.append_lock'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND granted",
    )
    return rowCount !== 0
  }
  let heldCount = 0

  acknowledge(await appendUntilAcknowledged(zombie.ledger, batch()))
  way.count()
  acknowledge(await appendUntilAcknowledged(zombie.ledger, batch()))
  const usual = way.count()
  for (let frozenCount = 0; frozenCount < count; ) {
    const direction: Direction = random() < 0.5 ? 'to the server' : 'from the server'
    const events = batch()
    const reached = way.freezeAt(direction, some(usual[direction])).then(() => true)
    const appending = appendUntilAcknowledged(zombie.ledger, events)
    if (await Promise.race([reached, appending.then(() => false)])) {
      frozenCount += 1
      if (await holdsLock()) heldCount += 1
      acknowledge(await appendUntilAcknowledged(direct.ledger, batch()))
      // Its client gave up on it and sent the same to the other one.
      if (random() < 0.5) acknowledge(await appendUntilAcknowledged(direct.ledger, events))
    }
    way.thaw()
    acknowledge(await appending)
  }

  const recorded: { readonly id: string; readonly position: number; readonly recordedAtMs: number }[] = []
  for (let page = await direct.reader.events({}, 0, 500); page.length > 0; page = await direct.reader.events({}, recorded.length, 500)) {
    recorded.push(...page.map(({ attributes: { id }, position, recordedAtMs }) => ({ id, position, recordedAtMs })))
  }
  expect(recorded.map(({ position }) => position)).toEqual(recorded.map((_, index) => index + 1))
  expect(new Map(recorded.map(({ id, position }) => [id, position]))).toEqual(acknowledged)
  expect(recorded).toHaveLength(acknowledged.size)
  const times = recorded.map(({ recordedAtMs }) => recordedAtMs)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  for (const ids of batches) {
    const positions = ids.map((id) => acknowledged.get(id) ?? 0)
    expect(positions).toEqual(positions.toSorted((one, other) => one - other))
  }
  await zombie.close()
  await way.close()
  await direct.end()
  return heldCount
}

test(`a ledger that lost the lock while it was stopped records nothing twice, nothing out of order and loses nothing, ${roundCount} times (FAULT_SEED=${seed})`, { timeout: 1_800_000 }, async () => {
  const lanes = Array.from({ length: laneCount }, (_, lane) => runLane(lane, Math.ceil((roundCount - lane) / laneCount)))
  const heldCounts = await Promise.all(lanes)
  expect(Math.min(...heldCounts)).toBeGreaterThan(0)
})
