import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { expect, test } from 'vitest'
import { keepProbing } from './keep-probing.ts'
import type { FactStore, OpenProbe, Prober } from './ports.ts'

const plan = { park: true, parkMsMax: 1_000_000, retentionMs: 0, callsMax: 10, bytesMax: 10, stepMsMax: 10, totalMsMax: 10 }

test('of many probes that wait for a restart each is looked at in its turn, and a new one before them', async () => {
  let nowMs = 1
  const open: OpenProbe[] = Array.from({ length: 20 }, (_, index) => ({ workerId: `w${index}`, probeId: 'parked' }))
  const looked: string[] = []
  const isEnough = Promise.withResolvers<void>()
  const store = {
    dueProbes: async () => [],
    openProbes: async () => open,
    secretHeaders: async () => ({}),
    worker: async (workerId: string) => ({ appliedPosition: 1, asOfMs: nowMs, content: { workerId, firstPosition: 1, facts: [], evidence: [], enrolment: undefined } }),
    probe: async (workerId: string, probeId: string) => [{ kind: 'probe-step', workerId, position: 1, atMs: 0, moment: { phase: 'planned', probeId, plan } }],
  } as unknown as FactStore
  const run: Prober['run'] = async ({ workerId, probeId }) => {
    looked.push(workerId)
    if (looked.length === 20) open.push({ workerId: 'new', probeId })
    if (looked.length === 45) isEnough.resolve()
    return { outcome: 'parked' }
  }
  const unused = (): never => {
    throw new Error('is not asked for')
  }
  const timer = {
    elapsedMs: () => nowMs,
    after: async (ms: number) => {
      await new Promise((resolve) => setImmediate(resolve)) // what runs is over by then
      nowMs += ms
    },
  }
  const probing = keepProbing(
    {
      store,
      timer,
      prober: { run, newId: unused, planFor: unused },
      feed: { head: unused },
      ledger: { append: unused, observe: unused },
      applied: { advanceTo: unused, reaches: unused },
      log: { info: unused, warn: unused, error: unused },
      idOf: (...parts) => nodeCodec.sha256Hex(parts.join()),
    },
    () => true,
  )
  await isEnough.promise
  await probing.stop()
  expect(new Set(looked.slice(0, 20)).size).toBe(20)
  expect(looked[20]).toBe('new')
  expect(new Set(looked.slice(0, 41)).size).toBe(21)
})
