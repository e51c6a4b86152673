/**
 * The correlation ladder (design §5) over one batch of new events, in order.
 *
 * Says for each event which stream it goes to and by which rung, what it teaches (links, dispatches,
 * open claims), and which synthetic streams become part of a logical task (K6). Pure: storage looks
 * up and inserts, and decides nothing.
 *
 * Worst case: a dispatch for which many tasks waited links them all at once, one event each.
 */
import type { CorrelationRung } from '../event/ledger-event.ts'
import { isReservedCorrelationId, syntheticCorrelationId } from './correlation-id.ts'
import type { CorrelationKeys } from './correlation-keys.ts'
import type { KnownCorrelations, MissingCorrelations } from './known-correlations.ts'
import { createLadderView, type LadderView } from './ladder-view.ts'
import { climbLadder, type RefusedClaim, type Rung } from './ladder.ts'
import { isListedAgainWorthRecording } from './listed-again.ts'
import type { Observation } from './observation.ts'
import type { CorrelationRule } from './rule.ts'
import { meetOwner, type ServerTask } from './ownership.ts'

/** One new event of a batch. */
export interface BatchEntry {
  readonly observation: Observation
  /** K5: index in the batch of the answer about many tasks that it was taken out of. */
  readonly derivedFrom?: number
  /** `sha256` hex of its data. */
  readonly digest: string
  /** When the witness saw it, milliseconds since the epoch. */
  readonly witnessMs: number
  /** L14: the last position of its stream that the decision was based on. */
  readonly ifStreamPosition?: number
}

/** What became of one entry: its place in the log, or why it has none. */
export type Placement =
  | {
      readonly outcome: 'placed'
      readonly position: number
      readonly correlationId: string
      readonly rung: CorrelationRung
      readonly refused?: RefusedClaim
      readonly derivedFrom?: number
    }
  /** L13: a listing repeats what is known; no event. */
  | { readonly outcome: 'unchanged' }
  /** L14: `position` is the newest of the stream. */
  | { readonly outcome: 'stale'; readonly position: number }

/** A `ledger.correlation-linked` event to record, and the alias it stands for (K6). */
export interface CorrelationLinked {
  readonly position: number
  readonly from: string
  readonly to: string
  readonly workerId: string
  readonly taskId: string
  /** Position of the event that taught the link. */
  readonly because: number
}

/** Rows to append; keys are those of `CorrelationKeys`. */
export interface CorrelationLessons {
  readonly taskLinks: readonly { readonly task: string; readonly position: number; readonly correlationId: string }[]
  readonly messageLinks: readonly {
    readonly message: string
    readonly position: number
    readonly correlationId: string
    readonly namedTask?: string
  }[]
  readonly dispatches: readonly {
    readonly correlation: string
    readonly worker: string
    readonly position: number
    readonly namedTask?: string
  }[]
  readonly openClaims: readonly {
    readonly claim: string
    readonly task: string
    readonly position: number
    readonly workerId: string
    readonly taskId: string
  }[]
  readonly syntheticStreams: readonly { readonly stream: string; readonly position: number }[]
  readonly restarts: readonly { readonly worker: string; readonly position: number }[]
  readonly meshesOfWorkers: readonly { readonly worker: string; readonly position: number; readonly mesh: string }[]
  readonly rulesOfMeshes: readonly { readonly mesh: string; readonly position: number; readonly rules: readonly CorrelationRule[] }[]
}

export type CorrelationResolution =
  | { readonly outcome: 'missing'; readonly missing: MissingCorrelations }
  | {
      readonly outcome: 'resolved'
      /** One an entry, in order. */
      readonly placements: readonly Placement[]
      readonly linked: readonly CorrelationLinked[]
      readonly lessons: CorrelationLessons
      /** The last position given out. */
      readonly head: number
    }

/**
 * Places `batch` behind position `head`; `missing` when `known` does not answer every question yet.
 *
 * Shape: events already recorded are not in the batch; a derived entry comes after its answer.
 * Source: design §5, L13, L14.
 */
export const resolveCorrelations = (
  batch: readonly BatchEntry[],
  known: KnownCorrelations,
  context: { readonly keys: CorrelationKeys; readonly head: number },
): CorrelationResolution => {
  const walk = createWalk(createLadderView(known), context.keys, context.head)
  const placements: Placement[] = []
  for (const entry of batch) {
    const parent = entry.derivedFrom === undefined ? undefined : placements[entry.derivedFrom]
    placements.push(walk.place(entry, parent?.outcome === 'placed' ? parent.position : undefined))
  }
  return walk.finish(placements)
}

const isAboutTask = ({ role, taskId }: Observation): boolean => role !== 'worker-fact' && taskId !== undefined

interface Walk {
  readonly place: (entry: BatchEntry, derivedFrom: number | undefined) => Placement
  readonly finish: (placements: readonly Placement[]) => CorrelationResolution
}

type Rows<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Row)[] ? Row[] : never }

const createWalk = (view: LadderView, keys: CorrelationKeys, headBefore: number): Walk => {
  let head = headBefore
  const linked: CorrelationLinked[] = []
  const lessons: Rows<CorrelationLessons> = {
    taskLinks: [],
    messageLinks: [],
    dispatches: [],
    openClaims: [],
    syntheticStreams: [],
    restarts: [],
    meshesOfWorkers: [],
    rulesOfMeshes: [],
  }

  /** Links a task, and makes its synthetic stream part of the logical task (K6). */
  const link = ({ workerId, taskId }: ServerTask, correlationId: string, because: number): void => {
    const task = keys.task(workerId, taskId)
    const links = view.taskLinks.get(task)
    view.taskLinks.set(task, [{ correlationId, position: because }, ...links])
    lessons.taskLinks.push({ task, position: because, correlationId })
    if (links.length > 0) return
    const from = syntheticCorrelationId(workerId, taskId)
    if (!view.syntheticStreams.get(keys.correlation(from))) return
    head += 1
    view.lastOfStream.set(keys.correlation(correlationId), head)
    linked.push({ position: head, from, to: correlationId, workerId, taskId, because })
  }

  /** What a dispatch teaches, and the tasks that waited for it. */
  const learnDispatch = (observation: Observation, correlationId: string, position: number): void => {
    const { workerId, taskId, messageId } = observation
    if (workerId === undefined) return
    const [correlation, worker] = [keys.correlation(correlationId), keys.worker(workerId)]
    const named = taskId === undefined ? {} : { namedTask: keys.task(workerId, taskId) }
    view.dispatched.set(correlation, true)
    view.dispatchedTo.set(correlation + worker, position)
    if (named.namedTask !== undefined) view.dispatchNamed.set(correlation + worker + named.namedTask, true)
    lessons.dispatches.push({ correlation, worker, position, ...named })
    settle(keys.claim(workerId, correlationId), correlationId, position)
    if (messageId === undefined) return
    const message = keys.message(workerId, messageId)
    const others = view.messageLinks.get(message).filter((one) => one.correlationId !== correlationId)
    view.messageLinks.set(message, [{ correlationId, position, ...named }, ...others])
    lessons.messageLinks.push({ message, position, correlationId, ...named })
    if (others.length === 0) settle(message, correlationId, position)
  }

  const settle = (claim: string, correlationId: string, because: number): void => {
    for (const waiting of view.openClaims.get(claim)) {
      const isOwned = view.taskLinks.get(keys.task(waiting.workerId, waiting.taskId)).length > 0
      if (!isOwned) link(waiting, correlationId, because)
    }
    view.openClaims.set(claim, [])
  }

  /** A task in a synthetic stream is remembered under whatever could link it later. */
  const learnOpenClaims = (
    { messageId }: Observation,
    server: ServerTask,
    { refused }: Rung,
    position: number,
  ): void => {
    const claims: string[] = []
    if (refused !== undefined) claims.push(keys.claim(server.workerId, refused.correlationId))
    if (messageId !== undefined) {
      const message = keys.message(server.workerId, messageId)
      if (view.messageLinks.get(message).length === 0) claims.push(message)
    }
    const task = keys.task(server.workerId, server.taskId)
    for (const claim of claims) {
      const waiting = view.openClaims.get(claim)
      if (waiting.some((one) => one.workerId === server.workerId && one.taskId === server.taskId)) continue
      view.openClaims.set(claim, [...waiting, server])
      lessons.openClaims.push({ claim, task, position, ...server })
    }
  }

  const learnSyntheticStream = (correlationId: string, position: number): void => {
    const stream = keys.correlation(correlationId)
    if (view.syntheticStreams.get(stream)) return
    view.syntheticStreams.set(stream, true)
    lessons.syntheticStreams.push({ stream, position })
  }

  /** L13's own knowledge: what was last said about a task, and when its worker restarted. */
  const learnNewest = ({ observation, digest, witnessMs, derivedFrom }: BatchEntry, position: number): void => {
    const { workerId, taskId, isRestart } = observation
    if (workerId === undefined) return
    if (isRestart) {
      view.restarts.set(keys.worker(workerId), position)
      lessons.restarts.push({ worker: keys.worker(workerId), position })
    }
    if (!isAboutTask(observation) || taskId === undefined) return
    const { shown } = observation
    const newest = { position, digest, witnessMs, isDerived: derivedFrom !== undefined, ...(shown !== undefined && { shown }) }
    view.newestOfTask.set(keys.task(workerId, taskId), newest)
  }

  /** A rule that changes is the rule of what comes later: no event is placed twice. */
  const learnTeaching = ({ workerId, teaching }: Observation, position: number): void => {
    if (teaching?.kind === 'rules-of-mesh') {
      const { rules } = teaching
      const mesh = keys.mesh(teaching.mesh)
      view.rulesOfMesh.set(mesh, rules)
      lessons.rulesOfMeshes.push({ mesh, position, rules })
    } else if (teaching?.kind === 'mesh-of-worker' && workerId !== undefined) {
      const { mesh } = teaching
      const worker = keys.worker(workerId)
      view.meshOfWorker.set(worker, mesh)
      lessons.meshesOfWorkers.push({ worker, position, mesh })
    }
  }

  const isUnchanged = ({ observation: { workerId, taskId, shown }, digest, witnessMs }: BatchEntry): boolean => {
    if (workerId === undefined || taskId === undefined) return false
    const newest = view.newestOfTask.get(keys.task(workerId, taskId))
    const restartPosition = view.restarts.get(keys.worker(workerId))
    const listed = { digest, witnessMs, ...(shown !== undefined && { shown }) }
    return !isListedAgainWorthRecording(listed, newest, restartPosition)
  }

  /** K2, K6: what an observation teaches about the task it shows; a conflict when it may not. */
  const learnTask = (observation: Observation, rung: Rung, position: number): RefusedClaim | undefined => {
    const { role, workerId, taskId } = observation
    if (workerId === undefined || taskId === undefined || role === 'record') return undefined
    const server = { workerId, taskId }
    if (isReservedCorrelationId(rung.correlationId)) {
      learnOpenClaims(observation, server, rung, position)
      return undefined
    }
    if (role === 'statement') return undefined
    const { correlationId } = rung
    const meeting = meetOwner(view, keys, { observation, server, correlationId })
    if (meeting === 'link') link(server, correlationId, position)
    const owner = view.taskLinks.get(keys.task(workerId, taskId))[0]
    return meeting === 'conflict' && owner !== undefined
      ? { code: 'correlation_conflict', correlationId: owner.correlationId }
      : undefined
  }

  const place = (entry: BatchEntry, derivedFrom: number | undefined): Placement => {
    const { observation } = entry
    if (derivedFrom !== undefined && isUnchanged(entry)) return { outcome: 'unchanged' }
    const rung = climbLadder(view, keys, observation)
    const stream = keys.correlation(rung.correlationId)
    if (entry.ifStreamPosition !== undefined) {
      const newest = view.lastOfStream.get(stream)
      if (newest > entry.ifStreamPosition) return { outcome: 'stale', position: newest }
    }
    head += 1
    const position = head
    view.lastOfStream.set(stream, position)
    learnNewest(entry, position)
    learnTeaching(observation, position)
    const isReal = !isReservedCorrelationId(rung.correlationId)
    const conflict = learnTask(observation, rung, position)
    if (isReal && observation.role === 'dispatch') learnDispatch(observation, rung.correlationId, position)
    if (!isReal && isAboutTask(observation)) learnSyntheticStream(rung.correlationId, position)
    const refused = conflict ?? rung.refused
    return {
      outcome: 'placed',
      position,
      correlationId: rung.correlationId,
      rung: rung.rung,
      ...(refused === undefined ? {} : { refused }),
      ...(derivedFrom === undefined ? {} : { derivedFrom }),
    }
  }

  return {
    place,
    finish: (placements) =>
      view.isComplete()
        ? { outcome: 'resolved', placements, linked, lessons, head }
        : { outcome: 'missing', missing: view.missing },
  }
}
