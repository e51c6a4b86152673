/** Probes of a worker on this machine, with a journal in memory. */
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { probeViewOf, type ProbeEntry, type ProbeLearned, type ProbePlan, type ProbeStepName, type ProbeView } from '@a2a-ledger/domain'
import { createOutbound } from '@a2a-ledger/outbound'
import { defaultPlan, type ProbePorts, runProbe, type RestartWord, type RunOutcome, type WitnessedCall } from '@a2a-ledger/probe'

export interface Journal {
  readonly entries: ProbeEntry[]
  readonly calls: WitnessedCall[]
}

export const newJournal = (): Journal => ({ entries: [], calls: [] })

/** A moment that is recorded already is refused, as the ledger refuses it. */
export const portsOn = (journal: Journal, more: Partial<ProbePorts> = {}): ProbePorts => ({
  openClient: () => {
    const { fetch, close } = createOutbound({ allowCidrs: ['127.0.0.0/8'] })
    return { fetch, close }
  },
  append: async (data) => {
    const key = (moment: ProbeEntry['data']): string => JSON.stringify([moment.phase, 'step' in moment ? [moment.step, moment.attempt] : []])
    if (journal.entries.some((entry) => key(entry.data) === key(data))) return undefined
    const recorded = { position: journal.entries.length + 1, atMs: (more.nowMs ?? Date.now)() }
    journal.entries.push({ ...recorded, data })
    return recorded
  },
  witness: async (call) => void journal.calls.push(call),
  nowMs: Date.now,
  after: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  newId: randomUUID,
  sha256Hex: (text) => createHash('sha256').update(text).digest('hex'),
  ...more,
})

export interface Run {
  readonly plan?: Partial<ProbePlan>
  readonly ports?: Partial<ProbePorts>
  readonly headers?: Readonly<Record<string, string>>
  readonly journal?: Journal
  readonly restart?: RestartWord
}

export const run = (url: string, { plan = {}, ports = {}, headers = {}, journal = newJournal(), restart = 'unknown' }: Run = {}): Promise<RunOutcome> =>
  runProbe(
    {
      probeId: 'p-1',
      subject: { cardUrl: url, headers },
      plan: { ...defaultPlan, ...plan },
      entries: [...journal.entries],
      restart: () => restart,
      owner: 'test',
    },
    portsOn(journal, ports),
    new AbortController().signal,
  )

export interface Found {
  readonly view: ProbeView
  readonly learned: ProbeLearned
  readonly step: (name: ProbeStepName) => string
}

/** What a closed or parked probe found. */
export const foundIn = ({ record }: RunOutcome): Found => {
  if (record === undefined) throw new Error('a probe without a record')
  const view = probeViewOf(record)
  return {
    view,
    learned: record.learned,
    step: (name) => {
      const step = view.steps.find((each) => each.step === name)
      return step === undefined ? 'not done' : `${step.outcome}: ${step.detail}`
    },
  }
}
