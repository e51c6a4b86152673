/**
 * Histories for tests of the fold: one line an event, in the order of recording.
 *
 * Times are seconds from one start; a line without `at` was seen at the second of its number.
 * Unless said otherwise all of it is about task `t-1` of worker `w1`, seen by the orchestrator.
 */
import type {
  ApprovalFact,
  ArtifactFact,
  CardFact,
  ConclusionFact,
  DispatchFact,
  EnrolledFact,
  ErrorFact,
  Fact,
  IntentFact,
  IntentSettledFact,
  LinkFact,
  ListedFact,
  MessageFact,
  NoAnswerFact,
  Piece,
  ReportFact,
  StreamEndedFact,
  TaskFact,
  VerdictFact,
  WorkerFact,
} from '../fact/fact.ts'
import type { Decision, TaskAnalysis, TaskInput, TaskSettings, WorkerKnowledge } from '../task/analysis.ts'
import { decide } from '../reconcile/decide.ts'
import { deriveTask } from '../task/derive.ts'
import type { CancelOutcome } from '../event/cancel.ts'
import type { ProbeLearned } from '../event/probe-step.ts'
import type { TaskState } from '../task/state.ts'
import { testCodec } from './codec.ts'

/** The start of every history: 2026-01-01T00:00:00Z. */
export const startMs = 1_767_225_600_000

/** Milliseconds of a second of the history. */
export const ms = (second: number): number => startMs + second * 1_000

/** One line of a history; its place gives it position and, unless stated, time. */
export type Line = (position: number) => Fact

interface Seen {
  /** Witness time, seconds. */
  readonly at?: number
  readonly recordedAt?: number
  readonly by?: string
  readonly worker?: string
  readonly task?: string
}

type Rest<F extends Fact> = Partial<Omit<F, 'kind' | 'by' | 'position' | 'source' | 'atMs' | 'recordedAtMs' | 'workerId' | 'taskId'>>

const baseOf = (position: number, { at = position, recordedAt = at, by = 'orchestrator', worker = 'w1' }: Seen) => ({
  position,
  source: by,
  atMs: ms(at),
  recordedAtMs: ms(recordedAt),
  workerId: worker,
})

const restOf = <T extends Seen>(told: T): Omit<T, keyof Seen> => {
  const { at: _at, recordedAt: _recordedAt, by: _by, worker: _worker, task: _task, ...rest } = told
  return rest
}

/** A message sent with SendMessage; `naming` addresses it to a task that is there. */
export const sent = (
  told: Seen & Rest<DispatchFact> & { readonly naming?: string; readonly isUnnamed?: true } = {},
): Line => (position) => {
  const { naming, isUnnamed, ...rest } = restOf(told)
  return {
    ...baseOf(position, told),
    kind: 'dispatch',
    operation: 'SendMessage',
    ...(isUnnamed !== true && { sentMessageId: 'm-1' }),
    hasPushConfig: false,
    contentDigest: 'same work',
    ...(naming !== undefined && { namedTaskId: naming, taskId: naming }),
    ...rest,
  }
}

/** Seconds of the worker's own clock, and artifacts in the snapshot. */
interface Reported {
  readonly stamped?: number
  readonly holding?: readonly Piece[]
}

const report = (
  position: number,
  state: TaskState | undefined,
  told: Seen & Reported & Rest<ReportFact>,
  defaults: Pick<ReportFact, 'form' | 'channel'> & { readonly operation: string },
): ReportFact => {
  const { stamped, holding, ...rest } = restOf(told)
  return {
    ...baseOf(position, told),
    kind: 'report',
    taskId: told.task ?? 't-1',
    ...defaults,
    ...(state !== undefined && { state }),
    ...(stamped !== undefined && { statusAtMs: ms(stamped) }),
    ...((holding !== undefined || defaults.form === 'snapshot') && { pieces: holding ?? [] }),
    ...rest,
  }
}

type ReportTold = Seen & Reported & Rest<ReportFact>

/** The answer to GetTask. */
export const found = (state: TaskState, told: ReportTold = {}): Line => (position) =>
  report(position, state, told, { form: 'snapshot', channel: 'answer', operation: 'GetTask' })

/** The answer to the send: a task. */
export const answered = (state: TaskState, told: ReportTold = {}): Line => (position) =>
  report(position, state, told, { form: 'snapshot', channel: 'answer', operation: 'SendMessage' })

/** A status update pushed to the webhook. */
export const pushed = (state: TaskState, told: ReportTold = {}): Line => (position) =>
  report(position, state, { by: 'webhook', ...told }, { form: 'update', channel: 'update', operation: 'Push' })

/** A status update on a stream. */
export const streamed = (state: TaskState, told: ReportTold = {}): Line => (position) =>
  report(position, state, told, { form: 'update', channel: 'update', operation: 'SubscribeToTask' })

/** TaskNotFound to GetTask, in a shape that A2A defines. */
export const missed = (told: Seen & Rest<ErrorFact> = {}): Line => (position) => ({
  ...baseOf(position, told),
  taskId: told.task ?? 't-1',
  kind: 'error',
  operation: 'GetTask',
  name: 'TaskNotFound',
  codeSpace: 'jsonrpc',
  code: -32001,
  evidence: 'strong',
  notFound: 'named',
  text: 'Task not found',
  isJsonRpc: true,
  ...restOf(told),
})

/** A 404 that no A2A body explains. */
export const bare404 = (told: Seen & Rest<ErrorFact> = {}): Line => (position) => ({
  ...baseOf(position, told),
  taskId: told.task ?? 't-1',
  kind: 'error',
  operation: 'GetTask',
  name: 'RouteNotFound',
  codeSpace: 'http',
  code: 404,
  httpStatus: 404,
  evidence: 'weak',
  notFound: 'bare',
  text: '',
  ...restOf(told),
})

/** An error answer to the send. */
export const refused = (told: Seen & Rest<ErrorFact> = {}): Line => (position) => ({
  ...baseOf(position, told),
  ...(told.task !== undefined && { taskId: told.task }),
  kind: 'error',
  operation: 'SendMessage',
  name: 'InvalidParams',
  codeSpace: 'jsonrpc',
  code: -32602,
  evidence: 'none',
  text: 'Invalid parameters',
  ...((told.codeSpace ?? 'jsonrpc') === 'jsonrpc' && { isJsonRpc: true as const }),
  ...(told.name === 'TaskNotFound' && { notFound: 'named' as const }),
  ...restOf(told),
})

/** The send got no A2A answer. */
export const unanswered = (told: Seen & Rest<NoAnswerFact> = {}): Line => (position) => ({
  ...baseOf(position, told),
  ...(told.task !== undefined && { taskId: told.task }),
  kind: 'no-answer',
  operation: 'SendMessage',
  reason: 'timeout',
  ...restOf(told),
})

export const streamEnded = (told: Seen & Rest<StreamEndedFact> = {}): Line => (position) => ({
  ...baseOf(position, told),
  taskId: told.task ?? 't-1',
  kind: 'stream-ended',
  operation: 'SubscribeToTask',
  reason: 'reset',
  ...restOf(told),
})

/** Text of an artifact, or of one chunk of it. */
export const piece = (text: string, told: Partial<Piece> = {}): Piece => ({
  artifactId: 'a-1',
  index: 0,
  at: 0,
  mediaTypes: ['text/plain'],
  bytes: text.length,
  digest: testCodec.sha256Hex(testCodec.utf8Encode(text)),
  ...told,
})

/** A chunk on a stream; the first one of an artifact unless `append`. */
export const chunk = (
  text: string,
  told: Seen & Rest<ArtifactFact> & { readonly artifact?: Partial<Piece> } = {},
): Line => (position) => {
  const { artifact, ...rest } = restOf(told)
  return {
    ...baseOf(position, told),
    taskId: told.task ?? 't-1',
    kind: 'artifact',
    channel: 'update',
    operation: 'SubscribeToTask',
    piece: piece(text, artifact),
    append: false,
    lastChunk: false,
    ...rest,
  }
}

/** A message as the whole answer to the send. */
export const messaged = (
  text: string,
  told: Seen & Rest<MessageFact> & { readonly artifact?: Partial<Piece> } = {},
): Line => (position) => {
  const { artifact, ...rest } = restOf(told)
  const { artifactId: _none, ...content } = piece(text, artifact)
  return {
    ...baseOf(position, told),
    ...(told.task !== undefined && { taskId: told.task }),
    kind: 'message',
    channel: 'answer',
    operation: 'SendMessage',
    ownMessageId: 'answer-1',
    text,
    piece: content,
    ...rest,
  }
}

/** What the orchestrator concluded for itself. */
export const concluded = (state: string, told: Seen & Rest<ConclusionFact> = {}): Line => (position) => ({
  ...baseOf(position, told),
  taskId: told.task ?? 't-1',
  kind: 'conclusion',
  state,
  ...restOf(told),
})

/** An event whose fold threw. */
export const unreadable = (told: Seen = {}): Line => (position) => ({
  ...baseOf(position, told),
  kind: 'unreadable',
  detail: 'not understood',
})

export const restarted = (told: Seen & { readonly instance?: string } = {}): Line => (position) => ({
  ...baseOf(position, { by: 'platform', ...told }),
  kind: 'restart',
  ...restOf(told),
})

export const enrolled = (policy: Rest<EnrolledFact>, told: Seen = {}): Line => (position) => ({
  ...baseOf(position, { by: 'operator', ...told }),
  kind: 'enrolled',
  ...policy,
})

/** A complete card with one skill. */
export const card = (told: Seen & Rest<CardFact> = {}): Line => (position) => ({
  ...baseOf(position, told),
  kind: 'card',
  isValid: true,
  missing: [],
  protocolVersions: ['1.0'],
  outputModes: ['text/plain'],
  skills: [{ id: 'write' }],
  isSigned: false,
  essenceDigest: 'essence 1',
  ...restOf(told),
})

/** A step of a probe ended and taught this, under the card of `card()`. */
export const probed = (learned: ProbeLearned, told: Seen & { readonly cardDigest?: string } = {}): Line => (position) => ({
  ...baseOf(position, { by: 'urn:a2a-ledger:probe', ...told }),
  kind: 'probe-step',
  moment: {
    phase: 'ended',
    probeId: 'p-1',
    step: 'rest',
    attempt: 1,
    outcome: 'ok',
    learned,
    cardDigest: told.cardDigest ?? 'essence 1',
    calls: 1,
    bytes: 1,
  },
})

/** GetTask for another task was answered: the route works. */
export const routeProved = (told: Seen & Rest<Extract<WorkerFact, { kind: 'answered' }>> = {}): Line => (position) => ({
  ...baseOf(position, told),
  kind: 'answered',
  operation: 'GetTask',
  taskId: told.task ?? 't-2',
  ...restOf(told),
})

/** A listing of the worker's tasks that names this one and was worth no event of its own (L13). */
export const listed = (state: TaskState, told: Seen & Omit<Rest<ListedFact>, 'state'> = {}): Line => (position) => ({
  ...baseOf(position, told),
  kind: 'listed',
  operation: 'ListTasks',
  taskId: told.task ?? 't-1',
  state,
  ...restOf(told),
})

/** A witness recorded nothing of the worker between these two seconds. */
export const gap = (from: number, to: number, told: Seen = {}): Line => (position) => ({
  ...baseOf(position, { by: 'proxy', ...told }),
  kind: 'gap',
  witness: 'proxy',
  reason: 'spool_full',
  fromMs: ms(from),
  toMs: ms(to),
  count: 1,
  isExact: true,
})

/** A decision of ours, as recorded. */
export const recorded = (decision: Decision, told: Seen & Rest<VerdictFact> = {}): Line => (position) => {
  const { decisionId, kind, workerId, question, because, considered, counts, duplicateRisk, lastObserved, insteadOf } = decision
  return {
    ...baseOf(position, { by: 'reconciler', ...told }),
    kind: 'verdict',
    decisionId,
    verdict: kind,
    askedWorkerId: question.workerId,
    ...(question.taskId !== undefined && { taskId: question.taskId, askedTaskId: question.taskId }),
    openedAt: question.openedAt,
    ...(workerId !== undefined && { targetWorkerId: workerId }),
    ...(lastObserved !== undefined && { lastObserved }),
    because,
    considered,
    ...(counts !== undefined && { counts }),
    duplicateRisk,
    ...(insteadOf !== undefined && { insteadOf }),
    ...restOf(told),
  }
}

/** Somebody is about to send: to obey a decision where `purpose` says so. */
export const intended = (told: Seen & { readonly ttl?: number; readonly holder?: string } & Rest<IntentFact> = {}): Line => (position) => {
  const { ttl = 60, holder, ...rest } = restOf(told)
  const base = baseOf(position, { by: 'reconciler', ...told })
  return {
    ...base,
    kind: 'intent',
    intentId: `intent-${position}`,
    decisionId: `send-${position}`,
    purpose: 'send',
    actor: 'caller',
    sentMessageId: 'm-1',
    untilMs: base.recordedAtMs + ttl * 1_000,
    ...(holder !== undefined && { by: holder }),
    ...rest,
  }
}

/** What became of the intent recorded at that position. */
export const intentSettled = (
  of: number,
  outcome: IntentSettledFact['outcome'],
  told: Seen & { readonly sentTaskId?: string; readonly because?: string } = {},
): Line => (position) => {
  const { workerId: _nobody, ...base } = baseOf(position, { by: 'reconciler', ...told })
  return { ...base, kind: 'intent-settled', intentId: `intent-${of}`, outcome, ...restOf(told) }
}

/** An attempt that lost is about to be canceled. */
export const canceling = (told: Seen & { readonly ttl?: number; readonly decisionId?: string } = {}): Line => (position) => ({
  ...baseOf(position, { by: 'reconciler', ...told }),
  taskId: told.task ?? 't-1',
  kind: 'cancel',
  eventId: `cancel-${position}`,
  moment: {
    phase: 'intended',
    workerId: told.worker ?? 'w1',
    taskId: told.task ?? 't-1',
    decisionId: told.decisionId ?? 'd-1',
    winner: { workerId: 'w2' },
    ttlMs: (told.ttl ?? 60) * 1_000,
  },
})

/** What came of the cancel recorded at that position. */
export const cancelSettled = (of: number, outcome: CancelOutcome, told: Seen & { readonly because?: string } = {}): Line => (position) => ({
  ...baseOf(position, { by: 'reconciler', ...told }),
  kind: 'cancel',
  eventId: `cancel-${position}`,
  moment: { phase: 'settled', cancelId: `cancel-${of}`, outcome, ...restOf(told) },
})

/** What a person said to a decision. */
export const approved = (decisionId: string, told: Seen & Rest<ApprovalFact> = {}): Line => (position) => {
  const { workerId: _nobody, ...base } = baseOf(position, { by: 'reconciler', ...told })
  return { ...base, kind: 'approval', decisionId, answer: 'approved', ...restOf(told), by: 'ann' }
}

/** A synthetic stream that is, or is no longer, part of a task; `person`: who said so. */
export const linked = (
  from: string,
  { kind = 'linked', to = 'k', person, because, ...told }: Seen & { readonly kind?: LinkFact['kind']; readonly to?: string; readonly person?: string; readonly because?: string } = {},
): Line => (position) => {
  const { workerId: _nobody, ...base } = baseOf(position, { by: 'ledger', ...told })
  return { ...base, kind, from, to, ...(person !== undefined && { by: person }), ...(because !== undefined && { because }) }
}

/** What only a claim or a link had put here about the task since that position belongs to `to`. */
export const moved = (to: string, since: number, { from = 'k', ...told }: Seen & { readonly from?: string } = {}): Line => (position) => ({
  ...baseOf(position, { by: 'ledger', ...told }),
  kind: 'moved',
  workerId: told.worker ?? 'w1',
  taskId: told.task ?? 't-1',
  from,
  to,
  since,
})

const isWorkerFact = (fact: Fact): fact is WorkerFact =>
  fact.kind === 'card' ||
  fact.kind === 'restart' ||
  fact.kind === 'enrolled' ||
  fact.kind === 'answered' ||
  fact.kind === 'listed' ||
  fact.kind === 'gap' ||
  fact.kind === 'probe-step'

export interface World {
  /** The database's clock, seconds. */
  readonly asOf?: number
  readonly settings?: Partial<TaskSettings>
  readonly correlationId?: string
  /** What is known of a worker beside the lines. */
  readonly known?: Readonly<Record<string, Partial<WorkerKnowledge>>>
}

/** The facts of the lines, and what is known of every worker they name. */
export const inputOf = (lines: readonly Line[], world: World = {}): TaskInput => {
  const facts = lines.map((line, index) => line(index + 1))
  const own = facts.filter((fact): fact is TaskFact => !isWorkerFact(fact))
  const ofWorkers = facts.filter(isWorkerFact)
  const names = new Set([...facts.flatMap(({ workerId }) => workerId ?? []), ...Object.keys(world.known ?? {})])
  return {
    correlationId: world.correlationId ?? 'k',
    facts: own,
    workers: new Map(
      [...names].map((workerId) => [
        workerId,
        {
          workerId,
          facts: ofWorkers.filter((fact) => fact.workerId === workerId),
          losses: [],
          ...world.known?.[workerId],
        },
      ]),
    ),
    asOfMs: ms(world.asOf ?? 3_600),
    settings: { graceMs: 30_000, silentAfterMs: 86_400_000, ...world.settings },
    codec: testCodec,
  }
}

/** The task after these lines. */
export const taskAfter = (lines: readonly Line[], world: World = {}): TaskAnalysis => deriveTask(inputOf(lines, world))

/** The workers that the lines name, as `decide` wants its candidates. */
export const workersOf = (lines: readonly Line[], world: World = {}): readonly WorkerKnowledge[] => [
  ...inputOf(lines, world).workers.values(),
]

/** The lines, and the verdict that a pass at that second records on them. */
export const settled = (lines: readonly Line[], asOf = 100, told: Rest<VerdictFact> = {}): readonly Line[] => {
  const decision = decide(taskAfter(lines, { asOf }), workersOf(lines))
  if (decision === undefined) throw new Error('There is nothing to decide.')
  return [...lines, recorded(decision, { at: asOf, ...told })]
}
