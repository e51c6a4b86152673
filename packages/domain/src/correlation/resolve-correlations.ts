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
import { isReservedCorrelationId } from './correlation-id.ts'
import type { CorrelationKeys } from './correlation-keys.ts'
import type { KnownCorrelations, MessageLink, MissingCorrelations, OpenClaim, Taught } from './known-correlations.ts'
import { createLadderView, type LadderView } from './ladder-view.ts'
import { climbLadder, senderOf, type RefusedClaim, type Rung } from './ladder.ts'
import { noLessons, type CorrelationLessons, type LinkRecord, type ServerTask } from './lessons.ts'
import { createLinkBook } from './link-book.ts'
import { isListedAgainWorthRecording } from './listed-again.ts'
import type { Observation } from './observation.ts'
import { isUndoneByHand, meetOwner, ownerOf, type Owner } from './ownership.ts'

/** One new event of a batch. */
export interface BatchEntry {
  readonly observation: Observation
  /** K5: index in the batch of the answer about many tasks that it was taken out of. */
  readonly derivedFrom?: number
  /** It was taken out of the body of a stream: recorded whatever it repeats. */
  readonly isStreamed?: boolean
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

export type CorrelationResolution =
  | { readonly outcome: 'missing'; readonly missing: MissingCorrelations }
  | {
      readonly outcome: 'resolved'
      /** One an entry, in order. */
      readonly placements: readonly Placement[]
      readonly records: readonly LinkRecord[]
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
  const isConditional = batch.some(({ ifStreamPosition }) => ifStreamPosition !== undefined)
  const walk = createWalk(createLadderView(known), { ...context, isConditional })
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

const createWalk = (
  view: LadderView,
  { keys, head: headBefore, isConditional }: { readonly keys: CorrelationKeys; readonly head: number; readonly isConditional: boolean },
): Walk => {
  let head = headBefore
  const lessons = noLessons()
  const book = createLinkBook(view, keys, lessons, () => (head += 1))

  /** What a dispatch teaches, and the tasks whose place it decides. */
  const learnDispatch = ({ observation, witnessMs }: BatchEntry, correlationId: string, position: number): void => {
    const { workerId, taskId, messageId } = observation
    if (workerId === undefined) return
    const [correlation, worker] = [keys.correlation(correlationId), keys.worker(workerId)]
    const named = taskId === undefined ? {} : { namedTask: keys.task(workerId, taskId) }
    if (taskId !== undefined) doubtBinding({ workerId, taskId }, correlationId, position)
    view.dispatched.set(correlation, true)
    view.dispatchedTo.set(correlation + worker, position)
    if (named.namedTask !== undefined) view.dispatchNamed.set(correlation + worker + named.namedTask, true)
    lessons.dispatches.push({ correlation, worker, position, ...named })
    settleClaims(workerId, correlationId, position)
    doubtEarlyClaims(workerId, correlationId, position)
    if (messageId === undefined) return
    const message = keys.message(workerId, messageId)
    const known = view.messageLinks.get(message)
    const own = known.find((one) => one.correlationId === correlationId)
    const others = known.filter((one) => one.correlationId !== correlationId)
    const firstMs = Math.min(witnessMs, own?.firstMs ?? Infinity)
    const sent = [{ correlationId, position, firstMs, ...named }, ...others]
    view.messageLinks.set(message, sent)
    lessons.messageLinks.push({ message, position, correlationId, witnessMs, ...named })
    for (const waiting of view.openClaims.get(message)) settleMessage(waiting, sent, position)
  }

  /** K1: the work was sent there after all. */
  const settleClaims = (workerId: string, correlationId: string, because: number): void => {
    const claim = keys.claim(workerId, correlationId)
    for (const waiting of view.openClaims.get(claim)) {
      if (ownerOf(view, keys, waiting) !== undefined || isUndoneByHand(view, keys, waiting, correlationId)) continue
      book.bind(waiting, { correlationId, taught: 'statement', because })
    }
    view.openClaims.set(claim, [])
  }

  /**
   * K1: a claim from before any dispatch was known counted; now that the work is known to have been
   * sent elsewhere it does not, until it is known to have been sent there too.
   */
  const doubtEarlyClaims = (workerId: string, correlationId: string, because: number): void => {
    for (const claimed of view.openClaims.get(keys.early(correlationId))) {
      const [bound] = view.taskLinks.get(keys.task(claimed.workerId, claimed.taskId))
      if (claimed.workerId === workerId || bound?.correlationId !== correlationId || bound.taught !== 'claim') continue
      if (view.dispatchedTo.get(keys.correlation(correlationId) + keys.worker(claimed.workerId)) > 0) continue
      book.takeBack(claimed, correlationId, { since: claimed.position, because })
      waitFor(keys.claim(claimed.workerId, correlationId), claimed)
    }
  }

  /** K2, K3: what the senders of its message, as they are known now, mean for a task. */
  const settleMessage = (waiting: OpenClaim, sent: readonly MessageLink[], because: number): void => {
    const sender = senderOf(sent, waiting.witnessMs)
    const owner = ownerOf(view, keys, waiting)
    if (owner !== undefined && owner.correlationId === sender?.correlationId) return
    if (owner === undefined) {
      if (sender === undefined || isUndoneByHand(view, keys, waiting, sender.correlationId)) return
      book.bind(waiting, { correlationId: sender.correlationId, taught: waiting.isAnswer ? 'answer' : 'message', because })
    } else if (owner.taught === 'message') {
      const to = sender && ({ correlationId: sender.correlationId, taught: 'message' } as const)
      book.takeBack(waiting, owner.correlationId, { since: waiting.position, because, ...(to !== undefined && { to }) })
    } else if (waiting.isAnswer && sender?.position === because && sender.namedTask === undefined && wasOwner(waiting, owner)) {
      const to = { correlationId: sender.correlationId, taught: 'answer' } as const
      book.takeBack(waiting, owner.correlationId, { since: waiting.position, because, to })
    }
  }

  /** True when the task was that owner's already when the event that waits was placed. */
  const wasOwner = ({ workerId, taskId, position }: OpenClaim, { correlationId }: Owner): boolean =>
    view.taskLinks.get(keys.task(workerId, taskId)).some((link) => link.correlationId === correlationId && link.position < position)

  /**
   * K2: an answer bound the task while its send was not known; now that the send turns out to have named
   * it, it is what it was: the work of others, and the answer a conflict.
   */
  const doubtBinding = (server: ServerTask, correlationId: string, because: number): void => {
    const [bound, former] = view.taskLinks.get(keys.task(server.workerId, server.taskId))
    if (bound?.correlationId !== correlationId || bound.taught !== 'answer' || former?.correlationId === undefined) return
    if (former.correlationId === correlationId) return
    if (view.dispatchedTo.get(keys.correlation(correlationId) + keys.worker(server.workerId)) > 0) return
    const to = { correlationId: former.correlationId, taught: former.taught }
    book.takeBack(server, correlationId, { since: bound.position, because, to })
  }

  const waitFor = (claim: string, { workerId, taskId, position, witnessMs, isAnswer }: OpenClaim): void => {
    const waiting = view.openClaims.get(claim)
    if (waiting.some((one) => one.workerId === workerId && one.taskId === taskId)) return
    const row = { workerId, taskId, position, witnessMs, isAnswer }
    view.openClaims.set(claim, [...waiting, row])
    lessons.openClaims.push({ claim, task: keys.task(workerId, taskId), ...row })
  }

  /** A task is remembered under whatever dispatch could still decide its place. */
  const learnOpenClaims = ({ observation, witnessMs }: BatchEntry, server: ServerTask, rung: Rung, position: number): void => {
    const { messageId, answersOpenSend } = observation
    const { correlationId, refused } = rung
    const own = { ...server, position, witnessMs, isAnswer: answersOpenSend }
    if (refused !== undefined) waitFor(keys.claim(server.workerId, refused.correlationId), own)
    if (isSaidByWorker(observation, rung) && !view.dispatched.get(keys.correlation(correlationId))) {
      waitFor(keys.early(correlationId), own)
    }
    if (messageId === undefined) return
    const message = keys.message(server.workerId, messageId)
    const isUnsent = view.messageLinks.get(message).length === 0
    const isOpen = isReservedCorrelationId(correlationId) || (answersOpenSend && rung.rung === 'task-link')
    if (rung.rung === 'message-link' || (isUnsent && isOpen)) waitFor(message, own)
  }

  /** Where the first event on a stream went, the others follow. */
  const learnStream = ({ workerId, taskId, stream }: Observation, { correlationId }: Rung, position: number): void => {
    if (stream === undefined || workerId === undefined || taskId === undefined) return
    const key = keys.stream(workerId, stream.source, stream.streamId)
    if (view.streamLinks.get(key) !== undefined) return
    const link = { correlationId, task: keys.task(workerId, taskId) }
    view.streamLinks.set(key, link)
    lessons.streamLinks.push({ stream: key, position, ...link })
  }

  /** L14: what comes in a synthetic stream is newer for the logical task that it was linked to, too. */
  const noteInLinked = (correlationId: string, position: number): void => {
    const stream = keys.correlation(correlationId)
    if (!isReservedCorrelationId(correlationId) || !view.syntheticStreams.get(stream)) return
    const [alias] = view.aliases.get(stream)
    if (alias?.isLinked === true) view.lastOfStream.set(keys.correlation(alias.to), position)
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
    switch (teaching?.kind) {
      case undefined:
        return
      case 'rules-of-mesh': {
        const mesh = keys.mesh(teaching.mesh)
        view.rulesOfMesh.set(mesh, teaching.rules)
        lessons.rulesOfMeshes.push({ mesh, position, rules: teaching.rules })
        return
      }
      case 'mesh-of-worker': {
        if (workerId === undefined) return
        const worker = keys.worker(workerId)
        view.meshOfWorker.set(worker, teaching.mesh)
        lessons.meshesOfWorkers.push({ worker, position, mesh: teaching.mesh })
        return
      }
      case 'link':
      case 'unlink':
        book.doByHand(teaching, position)
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
  const learnTask = (entry: BatchEntry, rung: Rung, position: number): RefusedClaim | undefined => {
    const { observation } = entry
    const { role, workerId, taskId } = observation
    if (workerId === undefined || taskId === undefined || role === 'record' || role === 'worker-fact') return undefined
    const server = { workerId, taskId }
    if (isReservedCorrelationId(rung.correlationId)) {
      if (role !== 'statement') learnOpenClaims(entry, server, rung, position)
      return undefined
    }
    // Another task on the stream of this one: shown where it came, and nothing is concluded from it.
    if (role === 'statement' || (rung.rung === 'stream-link' && !observation.answersOpenSend)) return undefined
    const { correlationId } = rung
    const taught = taughtByRung(view, keys, observation, rung)
    const meeting = meetOwner(view, keys, { observation, server, correlationId, taught })
    if (meeting !== 'conflict' && role === 'observation') learnOpenClaims(entry, server, rung, position)
    if (meeting === 'bind') book.bind(server, { correlationId, taught, because: position })
    const owner = meeting === 'conflict' ? ownerOf(view, keys, server) : undefined
    return owner && { code: 'correlation_conflict', correlationId: owner.correlationId }
  }

  const place = (entry: BatchEntry, derivedFrom: number | undefined): Placement => {
    const { observation } = entry
    if (derivedFrom !== undefined && entry.isStreamed !== true && isUnchanged(entry)) return { outcome: 'unchanged' }
    const rung = climbLadder(view, keys, entry)
    const stream = keys.correlation(rung.correlationId)
    if (entry.ifStreamPosition !== undefined) {
      const newest = view.lastOfStream.get(stream)
      if (newest > entry.ifStreamPosition) return { outcome: 'stale', position: newest }
    }
    const { teaching } = observation
    const obstacle = teaching?.kind === 'link' || teaching?.kind === 'unlink' ? book.obstacleTo(teaching) : undefined
    if (obstacle !== undefined) return { outcome: 'stale', position: obstacle }
    head += 1
    const position = head
    view.lastOfStream.set(stream, position)
    if (isConditional) noteInLinked(rung.correlationId, position)
    learnNewest(entry, position)
    learnTeaching(observation, position)
    learnStream(observation, rung, position)
    const isReal = !isReservedCorrelationId(rung.correlationId)
    const conflict = learnTask(entry, rung, position)
    if (isReal && observation.role === 'dispatch') learnDispatch(entry, rung.correlationId, position)
    if (!isReal && isAboutTask(observation)) book.noteSyntheticStream(rung.correlationId, position)
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
        ? { outcome: 'resolved', placements, records: book.records, lessons, head }
        : { outcome: 'missing', missing: view.missing },
  }
}

/** How well `rung` proves that the task is of that logical task; a claim proves nothing where nobody sent it. */
const taughtByRung = (view: LadderView, keys: CorrelationKeys, observation: Observation, rung: Rung): Taught => {
  const { role, workerId = '', answersOpenSend } = observation
  if (role === 'dispatch') return 'statement'
  if (rung.rung === 'task-link' || rung.rung === 'stream-link') return 'claim' // no more than is known already
  const isProven =
    !isSaidByWorker(observation, rung) ||
    view.dispatchedTo.get(keys.correlation(rung.correlationId) + keys.worker(workerId)) > 0
  if (!isProven) return 'claim'
  if (answersOpenSend) return 'answer'
  return rung.rung === 'message-link' ? 'message' : 'statement'
}

/** True when the worker itself is the only one who says whose it is. */
const isSaidByWorker = ({ role }: Observation, { rung }: Rung): boolean =>
  role === 'observation' && (rung === 'claim' || rung === 'metadata' || rung === 'context')
