import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendOne, incoming, openTestLedger, type TestLedger } from './open-test-ledger.ts'

let ledger: TestLedger
beforeAll(async () => {
  ledger = await openTestLedger()
})
afterAll(() => ledger.end())

test('an event is recorded and read back', async () => {
  const outcome = await appendOne(ledger, incoming({ correlationid: 'k-1', taskid: 't-1' }))
  expect(outcome).toEqual({ outcome: 'recorded', position: 1, correlationId: 'k-1' })
  const [event] = await ledger.reader.events({ correlationId: 'k-1' }, 0, 10)
  expect(event).toMatchObject({ position: 1, correlationId: 'k-1', rung: 'explicit', canonical: { kind: 'task', state: 'working' } })
})
