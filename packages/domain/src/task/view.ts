/** The reconciled task as the API shows it (contract §4). */
import { isCanaryCorrelationId } from '../correlation/canary.ts'
import { actorOf, evidenceOf, verdictInForce, type VerdictKind } from '../reconcile/answer.ts'
import type { HeldReason } from '../reconcile/next-act.ts'
import { hasBasis } from '../reconcile/question.ts'
import type { CancelOutcome } from '../event/cancel.ts'
import type { Actor } from '../event/dispatch-intent.ts'
import type { ApprovalAnswer } from '../event/verdict-approved.ts'
import type { ApprovalFact, ConsideredCandidate, DuplicateRisk, VerdictFact } from '../fact/fact.ts'
import { rfc3339Of } from '../rfc3339.ts'
import { withShortLists, type Counted } from '../short-lists.ts'
import type {
  AttemptAnalysis,
  CancelAnalysis,
  ClaimedStates,
  ContentRef,
  DispatchOutcome,
  DivergenceKind,
  IntentAnalysis,
  Judgement,
  Life,
  TaskAnalysis,
  VariantAnalysis,
} from './analysis.ts'
import { childrenOf, parentsOf, type Kin } from './family.ts'
import type { MetadataEntry } from './metadata.ts'
import { isTerminal, type LogicalState, type TaskState } from './state.ts'
import type { ViolationCode } from '../invariant/violation.ts'

/** How much and what an artifact's content is; `digest` is 64 hex digits here. */
export interface ContentSummary {
  readonly bytes: number
  readonly digest: string
}

export interface JudgementView extends Counted {
  readonly by: Judgement['by']
  readonly card: { readonly position: number; readonly digest: string }
  readonly advertised: readonly string[]
  readonly isAdvertised: boolean
  readonly isNegotiated?: boolean
}

export interface VariantView extends Counted {
  readonly workerId: string
  readonly taskId?: string
  readonly artifactId?: string
  readonly name?: string
  readonly mediaTypes: readonly string[]
  /** By the card in force when it was emitted, and by the one that its sender had; absent where no card is known. */
  readonly judgedBy?: readonly JudgementView[]
  readonly complete: boolean
  /** Names of its metadata, each with the event in which the value that counts stands; absent where there are none. */
  readonly metadata?: readonly MetadataEntry[]
  readonly bytes: number
  readonly digest?: string
  readonly disputedBy?: readonly string[]
}

/** What a person said to a `redispatch`. */
export interface ApprovalView {
  readonly answer: ApprovalAnswer
  readonly by: string
  readonly because?: string
  readonly position: number
}

export interface VerdictView extends Counted {
  readonly decisionId?: string
  readonly kind: VerdictKind
  readonly workerId?: string
  readonly because: readonly number[]
  readonly considered: readonly ConsideredCandidate[]
  readonly duplicateRisk?: DuplicateRisk
  readonly actor: Actor
  readonly position?: number
  /** `withdrawn`: what the verdict was asked about is no longer so (V6). */
  readonly basis?: 'withdrawn'
  /** What a person said to it. */
  readonly approval?: ApprovalView
  /** Why the ledger does not send what was left to it. */
  readonly held?: HeldReason
  readonly retryAfterMs?: number
}

/** One attempt that was canceled because it lost against another one. */
export interface CancelView {
  readonly workerId: string
  readonly taskId: string
  readonly decisionId: string
  /** `held`: it is being done; `lapsed`: nobody knows whether it was. */
  readonly outcome: CancelOutcome | 'held' | 'lapsed'
  /** Why our own rules refused the call. */
  readonly because?: string
  readonly position: number
}

/** One intent to send. */
export interface IntentView {
  readonly decisionId: string
  readonly purpose: 'redispatch' | 'send'
  readonly workerId: string
  readonly messageId: string
  /** Who holds it, in its own words. */
  readonly by?: string
  readonly actor: Actor
  /** `lapsed`: nobody said what became of it in time, so nobody knows whether it was sent. */
  readonly outcome: 'held' | 'lapsed' | 'sent' | 'not-sent'
  readonly until: string
  readonly taskId?: string
  /** Why our own rules refused the call. */
  readonly because?: string
  readonly position: number
}

/** A task that this one was sent on behalf of, or that was sent on behalf of it. */
export interface KinView extends Kin {
  readonly state: LogicalState
}

/** What is newer than the last life of an attempt and leaves it in doubt (V6). */
export interface DoubtView extends Counted {
  readonly because: NonNullable<AttemptAnalysis['doubt']>['because']
  readonly positions: readonly number[]
}

/** What the worker says of the past of its task (A2A v1.1 `timeline`): a claim, which decides nothing. */
export interface ClaimedView {
  readonly position: number
  readonly states: readonly TaskState[]
  readonly isWhole: boolean
  /** States that witnesses saw and that a whole one does not have; absent: none. */
  readonly lacks?: readonly TaskState[]
  /** Its generations do not ascend. */
  readonly isUnordered?: true
}

/** A synthetic stream that is part of a task, and who said so. */
export interface TaskLinkView {
  readonly from: string
  readonly to: string
  readonly position: number
  /** Absent: the ledger found it. */
  readonly by?: string
  readonly because?: string
}

export interface TaskView extends Counted {
  readonly correlationId: string
  readonly state: LogicalState
  readonly lastObserved?: TaskState
  readonly terminal: boolean
  readonly dispatches: readonly {
    readonly workerId: string
    readonly messageId?: string
    readonly position: number
    readonly outcome: DispatchOutcome
    readonly taskId?: string
  }[]
  readonly attempts: readonly {
    readonly workerId: string
    readonly taskId: string
    readonly contextId?: string
    readonly state: TaskState
    readonly life: Life
    readonly contested: boolean
    readonly doubt?: DoubtView
    readonly claimed?: ClaimedView
    readonly metadata?: readonly MetadataEntry[]
    readonly firstSeenPosition: number
    readonly lastSeenPosition: number
  }[]
  readonly artifacts: readonly (Counted & {
    readonly key: string
    readonly divergent: boolean
    readonly canonical: VariantView
    readonly variants: readonly (VariantView & { readonly status: 'superseded'; readonly because: string })[]
  })[]
  readonly divergences: readonly (Counted & { readonly kind: DivergenceKind; readonly positions: readonly number[] })[]
  readonly violations: readonly {
    readonly code: ViolationCode
    readonly position: number
    readonly detail: string
    readonly workerId?: string
    readonly taskId?: string
  }[]
  /** Synthetic streams that are part of it, and who said so (K6). */
  readonly links?: readonly TaskLinkView[]
  /** On whose behalf it was sent, and what was sent on its behalf; absent where nothing tells of any. */
  readonly parents?: readonly KinView[]
  readonly children?: readonly KinView[]
  readonly verdict?: VerdictView
  /** Who asked before sending, or claimed a decision, and what became of it; the newest 100. */
  readonly intents?: readonly IntentView[]
  /** Absent: none was. */
  readonly cancels?: readonly CancelView[]
  readonly incomplete?: readonly number[]
  /** The work of a probe, and nobody's otherwise (V3). */
  readonly canary?: true
}

/** Names the content of more than one stretch, so that its digest can be remembered. */
export const contentKey = (refs: readonly ContentRef[]): string =>
  refs.map(({ position, at }) => `${position}.${at}`).join('+')

/**
 * The view of `analysis`; `contents` holds the content of variants of several stretches, by `contentKey`,
 * `pool` the tasks among which its parents and children are.
 */
export const taskView = (
  analysis: TaskAnalysis,
  contents: ReadonlyMap<string, ContentSummary>,
  pool: readonly TaskAnalysis[] = [],
): TaskView => {
  const verdict = verdictViewOf(analysis)
  const links = linksOf(analysis)
  const parents = kinViews(parentsOf(analysis, pool), pool)
  const children = kinViews(childrenOf(analysis, pool), pool)
  const view: TaskView = {
    correlationId: analysis.correlationId,
    state: analysis.state,
    ...(analysis.lastObserved !== undefined && { lastObserved: analysis.lastObserved }),
    terminal: analysis.terminal,
    dispatches: analysis.dispatches.map(({ workerId, messageId, position, outcome, taskId }) => ({
      workerId,
      ...(messageId !== undefined && { messageId }),
      position,
      outcome,
      ...(taskId !== undefined && { taskId }),
    })),
    attempts: analysis.attempts.map(attemptView),
    artifacts: analysis.artifacts.map(({ key, divergent, canonical, variants }) =>
      withShortLists({
        key,
        divergent,
        canonical: variantView(canonical, contents),
        variants: variants.map((variant) => ({
          ...variantView(variant, contents),
          status: 'superseded' as const,
          because: variant.because ?? '',
        })),
      }),
    ),
    divergences: analysis.divergences.map(({ kind, positions }) => withShortLists({ kind, positions })),
    violations: analysis.violations.map(({ code, position, detail, workerId, taskId }) => ({
      code,
      position,
      detail,
      ...(workerId !== undefined && { workerId }),
      ...(taskId !== undefined && { taskId }),
    })),
    ...(links.length > 0 && { links }),
    ...(parents.length > 0 && { parents }),
    ...(children.length > 0 && { children }),
    ...(verdict !== undefined && { verdict }),
    ...(analysis.intents.length > 0 && { intents: analysis.intents.map((intent) => intentView(intent, analysis.asOfMs)) }),
    ...(analysis.cancels.length > 0 && { cancels: analysis.cancels.map((cancel) => cancelView(cancel, analysis.asOfMs)) }),
    ...(analysis.incomplete.length > 0 && { incomplete: analysis.incomplete }),
    ...(isCanaryCorrelationId(analysis.correlationId) && { canary: true as const }),
  }
  return withShortLists(view, 'dispatches', 'attempts', 'children', 'intents', 'cancels')
}

const cancelView = ({ workerId, taskId, decisionId, outcome, because, untilMs, position }: CancelAnalysis, asOfMs: number): CancelView => ({
  workerId,
  taskId,
  decisionId,
  outcome: outcome !== 'open' ? outcome : untilMs > asOfMs ? 'held' : 'lapsed',
  ...(because !== undefined && { because }),
  position,
})

const intentView = (intent: IntentAnalysis, asOfMs: number): IntentView => ({
  decisionId: intent.decisionId,
  purpose: intent.purpose,
  workerId: intent.workerId,
  messageId: intent.messageId,
  ...(intent.by !== undefined && { by: intent.by }),
  actor: intent.actor,
  outcome: intent.outcome !== 'open' ? intent.outcome : intent.untilMs > asOfMs ? 'held' : 'lapsed',
  until: rfc3339Of(intent.untilMs),
  ...(intent.taskId !== undefined && { taskId: intent.taskId }),
  ...(intent.outcome === 'not-sent' && intent.said?.because !== undefined && { because: intent.said.because }),
  position: intent.position,
})

const attemptView = (attempt: AttemptAnalysis): TaskView['attempts'][number] => ({
  workerId: attempt.workerId,
  taskId: attempt.taskId,
  ...(attempt.contextId !== undefined && { contextId: attempt.contextId }),
  state: attempt.state,
  life: attempt.life,
  contested: attempt.contested,
  ...(attempt.doubt !== undefined && { doubt: withShortLists(attempt.doubt) }),
  ...(attempt.claimed !== undefined && { claimed: claimedView(attempt.claimed) }),
  ...(attempt.metadata.length > 0 && { metadata: attempt.metadata }),
  firstSeenPosition: attempt.firstSeenPosition,
  lastSeenPosition: attempt.lastSeenPosition,
})

const claimedView = ({ position, states, isWhole, isUnordered, lacks }: ClaimedStates): ClaimedView => ({
  position,
  states,
  isWhole,
  ...(lacks.length > 0 && { lacks }),
  ...(isUnordered && { isUnordered: true as const }),
})

/** The links that stand: of each stream the last word. */
const linksOf = ({ correlationId, facts }: TaskAnalysis): readonly TaskLinkView[] => {
  const last = new Map(facts.flatMap((fact) => (fact.kind === 'linked' || fact.kind === 'unlinked' ? [[fact.from, fact] as const] : [])))
  return [...last.values()].flatMap(({ kind, from, to, position, by, because }) =>
    kind === 'unlinked' || to !== correlationId
      ? []
      : [{ from, to, position, ...(by !== undefined && { by }), ...(because !== undefined && { because }) }],
  )
}

const kinViews = (kin: readonly Kin[], pool: readonly TaskAnalysis[]): readonly KinView[] => {
  const states = new Map(pool.map(({ correlationId, state }) => [correlationId, state]))
  return kin.flatMap((each) => {
    const state = states.get(each.correlationId)
    return state === undefined ? [] : [{ ...each, state }]
  })
}

const variantView = (variant: VariantAnalysis, contents: ReadonlyMap<string, ContentSummary>): VariantView => {
  const content = contents.get(contentKey(variant.content))
  const digest = variant.digest ?? content?.digest
  return withShortLists({
    workerId: variant.workerId,
    ...(variant.taskId !== undefined && { taskId: variant.taskId }),
    ...(variant.artifactId !== undefined && { artifactId: variant.artifactId }),
    ...(variant.name !== undefined && { name: variant.name }),
    mediaTypes: variant.mediaTypes,
    ...(variant.judgedBy.length > 0 && { judgedBy: variant.judgedBy.map(judgementView) }),
    complete: variant.complete,
    ...(variant.metadata.length > 0 && { metadata: variant.metadata }),
    bytes: content?.bytes ?? variant.bytes,
    ...(digest !== undefined && { digest: `sha256:${digest}` }),
    ...(variant.disputedBy !== undefined && { disputedBy: variant.disputedBy }),
  })
}

const judgementView = ({ by, cardPosition, digest, advertised, isAdvertised, isNegotiated }: Judgement): JudgementView =>
  withShortLists({
    by,
    card: { position: cardPosition, digest: `sha256:${digest}` },
    advertised,
    isAdvertised,
    ...(isNegotiated !== undefined && { isNegotiated }),
  })

/**
 * The verdict that a task shows, if any.
 *
 * V6, the first that applies: the verdict in force; `reobserve` while a question is open that nobody
 * has decided, since what was said to an earlier one is no answer to it; the last recorded verdict,
 * settled or without its basis, which no later doubt replaces; `reobserve` while the current attempt
 * is in doubt.
 */
export const verdictViewOf = (analysis: TaskAnalysis): VerdictView | undefined => {
  const inForce = verdictInForce(analysis)
  const { question, current } = analysis
  if (inForce === undefined && question !== undefined) {
    const retryAfterMs = Math.max(reobserveMsMin, question.dueMs - analysis.asOfMs)
    return reobserve(evidenceOf(question.because, question.becauseCount), retryAfterMs)
  }
  const last = inForce ?? analysis.verdicts.at(-1)
  if (last !== undefined) return recordedView(last, analysis)
  return isTerminal(analysis.state) || current?.doubt === undefined
    ? undefined
    : reobserve(evidenceOf(current.doubt.positions), reobserveMsMin)
}

const reobserveMsMin = 1_000

const reobserve = (evidence: ReturnType<typeof evidenceOf>, retryAfterMs: number): VerdictView => ({
  kind: 'reobserve',
  ...evidence,
  considered: [],
  actor: 'caller',
  retryAfterMs,
})

const approvalView = ({ answer, by, because, position }: ApprovalFact): ApprovalView => ({
  answer,
  by,
  ...(because !== undefined && { because }),
  position,
})

const recordedView = (last: VerdictFact, analysis: TaskAnalysis): VerdictView => {
  const approval = analysis.approvals.find(({ decisionId }) => decisionId === last.decisionId)
  return {
    decisionId: last.decisionId,
    kind: last.verdict,
    ...(last.targetWorkerId !== undefined && { workerId: last.targetWorkerId }),
    because: last.because,
    considered: last.considered,
    ...(last.counts !== undefined && { counts: last.counts }),
    ...(last.duplicateRisk !== undefined && { duplicateRisk: last.duplicateRisk }),
    actor: actorOf(analysis, last),
    position: last.position,
    ...(!hasBasis(last, analysis) && { basis: 'withdrawn' as const }),
    ...(approval !== undefined && { approval: approvalView(approval) }),
  }
}
