/**
 * What became of one probe, told from its recorded moments alone: nothing else is remembered, so whoever
 * reads them can go on with it.
 *
 * running:   planned, and a step is open or the next one can begin.
 * parked:    its second canary waits for a restart.
 * done:      closed after its last step.
 * abandoned: closed before; the steps say why.
 */
import type { ProbeLearned, ProbeMeasures, ProbePlan, ProbeStepData, ProbeStepName } from '../event/probe-step.ts'
import { rfc3339Of } from '../rfc3339.ts'
import { isTerminal, type TaskState } from '../task/state.ts'
import { gradeLifetimeMs, type Grade } from './verified.ts'

/** One recorded moment; `position` orders them. */
export interface ProbeEntry {
  readonly position: number
  readonly atMs: number
  readonly data: ProbeStepData
}

export type EndedStep = Extract<ProbeStepData, { phase: 'ended' }> & Pick<ProbeEntry, 'position' | 'atMs'>
export type BegunStep = Extract<ProbeStepData, { phase: 'begun' }> & Pick<ProbeEntry, 'position' | 'atMs'>

export interface ProbeRecord {
  readonly probeId: string
  readonly plan: ProbePlan
  readonly plannedAtMs: number
  /** In order; of a step that was ended twice the first. */
  readonly ended: readonly EndedStep[]
  /** Begun and not ended: the last attempt at it. */
  readonly open?: BegunStep
  readonly closed?: Extract<ProbeStepData, { phase: 'closed' }>
  /** What all steps taught together, the later over the earlier. */
  readonly learned: ProbeLearned
  readonly calls: number
  readonly bytes: number
}

export type ProbeState = 'running' | 'parked' | 'done' | 'abandoned'

/** The record of one probe; `undefined` where its plan is not among `entries`. Order and duplicates do not matter. */
export const probeRecordOf = (entries: readonly ProbeEntry[]): ProbeRecord | undefined => {
  const inOrder = entries.toSorted((left, right) => left.position - right.position)
  let planned: { readonly probeId: string; readonly plan: ProbePlan; readonly atMs: number } | undefined
  const ended = new Map<ProbeStepName, EndedStep>()
  const begun = new Map<ProbeStepName, BegunStep>()
  let closed: ProbeRecord['closed']
  for (const { position, atMs, data } of inOrder) {
    if (data.phase === 'planned') planned ??= { probeId: data.probeId, plan: data.plan, atMs }
    else if (data.phase === 'begun') begun.set(data.step, { ...data, position, atMs })
    else if (data.phase === 'closed') closed ??= data
    else if (!ended.has(data.step)) ended.set(data.step, { ...data, position, atMs })
  }
  if (planned === undefined) return undefined
  const steps = [...ended.values()]
  const open = [...begun.values()].find(({ step }) => !ended.has(step))
  return {
    probeId: planned.probeId,
    plan: planned.plan,
    plannedAtMs: planned.atMs,
    ended: steps,
    ...(open !== undefined && { open }),
    ...(closed !== undefined && { closed }),
    learned: steps.reduce<ProbeLearned>((all, { learned }) => (learned === undefined ? all : mergeLearned(all, learned)), {}),
    calls: steps.reduce((sum, { calls }) => sum + calls, 0),
    bytes: steps.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

const union = <Value>(...lists: readonly (readonly Value[] | undefined)[]): readonly Value[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
]
const without = <Value>(list: readonly Value[], gone: readonly Value[] | undefined): Value[] =>
  list.filter((each) => gone?.includes(each) !== true)

const mergeLearned = (all: ProbeLearned, step: ProbeLearned): ProbeLearned => ({
  ...all,
  ...step,
  tasks: { ...all.tasks, ...step.tasks },
  states: without(union(all.states, step.states), step.refutedStates),
  refutedStates: without(union(all.refutedStates, step.refutedStates), step.states),
  durableStates: without(union(all.durableStates, step.durableStates), step.lostStates),
  lostStates: without(union(all.lostStates, step.lostStates), step.durableStates),
  mediaTypes: [...union(all.mediaTypes, step.mediaTypes)],
  strayMediaTypes: [...union(all.strayMediaTypes, step.strayMediaTypes)],
  measured: { ...all.measured, ...step.measured },
})

/** Where it stands. */
export const probeStateOf = (record: ProbeRecord): ProbeState => {
  if (record.closed !== undefined) return record.closed.state
  const names = record.ended.map(({ step }) => step)
  const isWaiting = record.open === undefined && names.includes('parked') && !names.includes('after-restart') && !names.includes('clean-up')
  return isWaiting && record.learned.tasks?.parked?.state !== undefined ? 'parked' : 'running'
}

export interface VerifiedState {
  readonly state: TaskState
  readonly grade: Grade
  readonly at: string
  /** Absent: it does not expire by itself. */
  readonly expiresAt?: string
}

export interface VerifiedMediaType {
  readonly mediaType: string
  readonly grade: Grade
  readonly at: string
  readonly expiresAt?: string
}

/** `true`, `false`, or a number where one was measured; `unknown` where nothing was. */
export type Measured = { readonly [Name in keyof ProbeMeasures]: ProbeMeasures[Name] | 'unknown' }

/** Contract §4, `GET …/probes/{probeId}`. */
export interface ProbeView {
  readonly probeId: string
  readonly state: ProbeState
  readonly steps: readonly {
    readonly at: string
    readonly step: ProbeStepName
    readonly outcome: 'ok' | 'failed' | 'skipped'
    readonly detail?: string
    readonly position: number
  }[]
  /** What this probe confirmed when it did; what counts now is in the view of the worker. */
  readonly verified: { readonly states: readonly VerifiedState[]; readonly mediaTypes: readonly VerifiedMediaType[] }
  readonly measured: Measured
  readonly because?: string
}

export const measuredOf = (measured: ProbeLearned['measured'] = {}): Measured => ({
  survivesRestart: measured.survivesRestart ?? 'unknown',
  idempotentMessageId: measured.idempotentMessageId ?? 'unknown',
  notFoundHonest: measured.notFoundHonest ?? 'unknown',
  streamReplay: measured.streamReplay ?? 'unknown',
  pushArrives: measured.pushArrives ?? 'unknown',
  retentionSeconds: measured.retentionSeconds ?? 'unknown',
  bindingParity: measured.bindingParity ?? 'unknown',
})

/** One probe as it is shown. */
export const probeViewOf = (record: ProbeRecord): ProbeView => {
  const { learned, ended, closed } = record
  const gradedAt = (atMs: number, grade: 'verified' | 'durable') => ({
    grade,
    at: rfc3339Of(atMs),
    expiresAt: rfc3339Of(atMs + gradeLifetimeMs[grade]),
  })
  const lastMs = (tells: (step: ProbeLearned) => boolean): number =>
    ended.findLast((step) => step.learned !== undefined && tells(step.learned))?.atMs ?? record.plannedAtMs
  return {
    probeId: record.probeId,
    state: probeStateOf(record),
    steps: ended.map(({ atMs, step, outcome, detail, position }) => ({
      at: rfc3339Of(atMs),
      step,
      outcome,
      ...(detail !== undefined && { detail }),
      position,
    })),
    verified: {
      states: (learned.states ?? []).map((state) =>
        learned.durableStates?.includes(state) === true
          ? { state, ...gradedAt(lastMs((step) => step.durableStates?.includes(state) === true), 'durable') }
          : { state, ...gradedAt(lastMs((step) => step.states?.includes(state) === true), 'verified') },
      ),
      mediaTypes: (learned.mediaTypes ?? []).map((mediaType) => ({
        mediaType,
        ...gradedAt(lastMs((step) => step.mediaTypes?.includes(mediaType) === true), 'verified'),
      })),
    },
    measured: measuredOf(learned.measured),
    ...(closed?.because !== undefined && { because: closed.because }),
  }
}

/** True for a state in which a worker waits or has ended: it stays so, and can be asked for again. */
export const isResting = (state: TaskState | undefined): boolean =>
  state === 'input-required' || state === 'auth-required' || isTerminal(state)
