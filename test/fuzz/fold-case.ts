/**
 * One case through everything that is pure: envelope, reading, correlation, facts, derivation, views,
 * root causes, timeline, decisions. What must hold of any input whatever is checked here.
 */
import {
  isTerminal,
  listMax,
  observableStates,
  parseBinary,
  parseStructured,
  quarantineReasons,
  type EnvelopeReading,
} from '@a2a-ledger/domain'
import { testCodec as codec } from '@a2a-ledger/domain/testing'
import { createMemoryMesh, type MemoryMesh, type MeshViews } from '../replay/memory-mesh.ts'
import type { FuzzCase, FuzzInput } from './fuzz-case.ts'

/** The history is told a month later: grace and silence have run. */
const toldMs = Date.parse('2026-12-01T10:00:00Z')

export const bytesOf = ({ body, encoding }: FuzzInput): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(body, encoding))

/**
 * How each input ended: `recorded`, `duplicate`, or `rejected: …` and `quarantined: …` with the
 * reason. Throws with what does not hold of the views.
 */
export const foldCase = (inputs: FuzzCase): readonly string[] => {
  const mesh = createMemoryMesh(toldMs)
  const outcomes = inputs.map((input) => outcomeOf(mesh, input))
  checkViews(mesh.views())
  return outcomes
}

const outcomeOf = (mesh: MemoryMesh, input: FuzzInput): string => {
  const reading = readEnvelope(input)
  if (reading.outcome === 'rejected') {
    if (reading.detail === '') throw new Error('rejected without a reason')
    return `rejected: ${reading.code}`
  }
  const text = codec.utf8Decode(reading.data ?? new Uint8Array())
  if (text === undefined) return 'quarantined: data_malformed'
  const result = mesh.observeText(reading.attributes, text)
  if (result.outcome !== 'quarantined') return result.outcome
  if (!Object.hasOwn(quarantineReasons, result.reason)) throw new Error(`quarantined for ${result.reason}, which is no reason`)
  return `quarantined: ${result.reason}`
}

type Rejection = { readonly outcome: 'rejected'; readonly code: string; readonly detail: string }

const readEnvelope = (input: FuzzInput): EnvelopeReading | Rejection => {
  if (input.mode === 'binary') return parseBinary(Object.entries(input.headers), bytesOf(input), codec)
  const batch = parseStructured(bytesOf(input), codec)
  return batch.outcome === 'rejected' ? batch : (batch.events[0] ?? { outcome: 'rejected', code: 'none', detail: '' })
}

const states: readonly string[] = [...observableStates, 'dispatched', 'indeterminate']
const effects = ['applied', 'duplicate', 'late', 'contested', 'ignored']

/** What must hold of any view whatever was reported. */
const checkViews = ({ tasks, workers, head }: MeshViews): void => {
  for (const { correlationId, view, rootCause, timeline } of tasks) {
    const must = (holds: boolean, what: string): void => {
      if (!holds) throw new Error(`${what}, in task ${JSON.stringify(correlationId.slice(0, 100))}: ${JSON.stringify(view).slice(0, 1_000)}`)
    }
    must(states.includes(view.state), `${view.state} is no state`)
    must(view.incomplete === undefined, 'an event that was recorded cannot be folded (L11)')
    must(view.terminal === isTerminal(view.state), 'terminal is said of the state and of nothing else')
    const isFailureSeen = timeline.some(({ canonical }) =>
      [canonical, ...(canonical?.tasks ?? [])].some((each) => each?.state === 'failed'),
    )
    must(view.state !== 'failed' || isFailureSeen, 'failed, and no worker said so (F8)')
    must(timeline.every(({ effect }) => effects.includes(effect)), 'an event without an effect')
    must(rootCause.summary !== '', 'no sentence of root cause')
    must(listsIn([view, rootCause]).every((list) => list.length <= listMax), 'a list of more than its bound')
    const positions = [
      ...(view.verdict?.because ?? []),
      ...view.violations.map(({ position }) => position),
      ...view.divergences.flatMap((divergence) => divergence.positions),
      ...rootCause.findings.flatMap(({ because }) => because),
    ]
    must(positions.every((position) => position >= 1 && position <= head), 'evidence at a position that is not there')
  }
  const longOf = workers.find((worker) => listsIn(worker).some((list) => list.length > listMax))
  if (longOf !== undefined) throw new Error(`a list of more than its bound, in worker ${JSON.stringify(longOf).slice(0, 1_000)}`)
}

const listsIn = (value: unknown): readonly (readonly unknown[])[] => {
  if (value === null || typeof value !== 'object') return []
  return [...(Array.isArray(value) ? [value] : []), ...Object.values(value).flatMap(listsIn)]
}
