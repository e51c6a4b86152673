/** The reconciled task as the API shows it (contract §4). */
import { verdictInForce, type VerdictKind } from '../reconcile/answer.ts'
import { hasBasis } from '../reconcile/question.ts'
import type { ConsideredCandidate, DuplicateRisk } from '../fact/fact.ts'
import type {
  ContentRef,
  DispatchOutcome,
  DivergenceKind,
  Life,
  TaskAnalysis,
  VariantAnalysis,
} from './analysis.ts'
import { isTerminal, type LogicalState, type TaskState } from './state.ts'
import type { ViolationCode } from '../invariant/violation.ts'

/** How much and what an artifact's content is; `digest` is 64 hex digits here. */
export interface ContentSummary {
  readonly bytes: number
  readonly digest: string
}

export interface VariantView {
  readonly workerId: string
  readonly taskId?: string
  readonly artifactId?: string
  readonly name?: string
  readonly mediaTypes: readonly string[]
  readonly complete: boolean
  readonly bytes: number
  readonly digest?: string
  readonly disputedBy?: readonly string[]
}

export interface VerdictView {
  readonly decisionId?: string
  readonly kind: VerdictKind
  readonly workerId?: string
  readonly because: readonly number[]
  readonly considered: readonly ConsideredCandidate[]
  readonly duplicateRisk?: DuplicateRisk
  readonly actor: 'caller' | 'approver' | 'ledger'
  readonly position?: number
  /** `withdrawn`: what the verdict was asked about is no longer so (V6). */
  readonly basis?: 'withdrawn'
  readonly retryAfterMs?: number
}

/** Lists hold at most `listMax` entries; where there are more, `counts` says how many. */
export interface TaskView {
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
    readonly firstSeenPosition: number
    readonly lastSeenPosition: number
  }[]
  readonly artifacts: readonly {
    readonly key: string
    readonly divergent: boolean
    readonly canonical: VariantView
    readonly variants: readonly (VariantView & { readonly status: 'superseded'; readonly because: string })[]
  }[]
  readonly divergences: readonly { readonly kind: DivergenceKind; readonly positions: readonly number[] }[]
  readonly violations: readonly {
    readonly code: ViolationCode
    readonly position: number
    readonly detail: string
    readonly workerId?: string
    readonly taskId?: string
  }[]
  readonly verdict?: VerdictView
  readonly incomplete?: readonly number[]
  readonly counts?: Readonly<Record<string, number>>
}

export const listMax = 100

/** Names the content of more than one stretch, so that its digest can be remembered. */
export const contentKey = (refs: readonly ContentRef[]): string =>
  refs.map(({ position, at }) => `${position}.${at}`).join('+')

/** The view of `analysis`; `contents` holds the content of variants of several stretches, by `contentKey`. */
export const taskView = (analysis: TaskAnalysis, contents: ReadonlyMap<string, ContentSummary>): TaskView => {
  const verdict = verdictOf(analysis)
  const counts = countsOf(analysis)
  return {
    correlationId: analysis.correlationId,
    state: analysis.state,
    ...(analysis.lastObserved !== undefined && { lastObserved: analysis.lastObserved }),
    terminal: analysis.terminal,
    dispatches: analysis.dispatches.slice(-listMax).map(({ workerId, messageId, position, outcome, taskId }) => ({
      workerId,
      ...(messageId !== undefined && { messageId }),
      position,
      outcome,
      ...(taskId !== undefined && { taskId }),
    })),
    attempts: analysis.attempts.slice(-listMax).map((attempt) => ({
      workerId: attempt.workerId,
      taskId: attempt.taskId,
      ...(attempt.contextId !== undefined && { contextId: attempt.contextId }),
      state: attempt.state,
      life: attempt.life,
      contested: attempt.contested,
      firstSeenPosition: attempt.firstSeenPosition,
      lastSeenPosition: attempt.lastSeenPosition,
    })),
    artifacts: analysis.artifacts.slice(0, listMax).map(({ key, divergent, canonical, variants }) => ({
      key,
      divergent,
      canonical: variantView(canonical, contents),
      variants: variants.slice(0, listMax).map((variant) => ({
        ...variantView(variant, contents),
        status: 'superseded' as const,
        because: variant.because ?? '',
      })),
    })),
    divergences: analysis.divergences.map(({ kind, positions }) => ({ kind, positions: positions.slice(0, listMax) })),
    violations: analysis.violations.slice(0, listMax).map(({ code, position, detail, workerId, taskId }) => ({
      code,
      position,
      detail,
      ...(workerId !== undefined && { workerId }),
      ...(taskId !== undefined && { taskId }),
    })),
    ...(verdict !== undefined && { verdict }),
    ...(analysis.incomplete.length > 0 && { incomplete: analysis.incomplete.slice(0, listMax) }),
    ...(Object.keys(counts).length > 0 && { counts }),
  }
}

/** Lists that are cut, with their full length. */
const countsOf = (analysis: TaskAnalysis): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (['dispatches', 'attempts', 'artifacts', 'violations', 'incomplete'] as const)
      .map((name): readonly [string, number] => [name, analysis[name].length])
      .filter(([, length]) => length > listMax),
  )

const variantView = (variant: VariantAnalysis, contents: ReadonlyMap<string, ContentSummary>): VariantView => {
  const content = contents.get(contentKey(variant.content))
  const digest = variant.digest ?? content?.digest
  return {
    workerId: variant.workerId,
    ...(variant.taskId !== undefined && { taskId: variant.taskId }),
    ...(variant.artifactId !== undefined && { artifactId: variant.artifactId }),
    ...(variant.name !== undefined && { name: variant.name }),
    mediaTypes: variant.mediaTypes,
    complete: variant.complete,
    bytes: content?.bytes ?? variant.bytes,
    ...(digest !== undefined && { digest: `sha256:${digest}` }),
    ...(variant.disputedBy !== undefined && { disputedBy: variant.disputedBy }),
  }
}

/**
 * V6: the verdict in force; else `reobserve` while something is in doubt (derived, never recorded);
 * else the last recorded one, settled or without its basis.
 */
const verdictOf = (analysis: TaskAnalysis): VerdictView | undefined => {
  const inForce = verdictInForce(analysis)
  const last = inForce ?? analysis.verdicts.at(-1)
  const doubt = isTerminal(analysis.state) ? undefined : analysis.current?.doubt
  if (inForce === undefined && (analysis.question !== undefined || doubt !== undefined)) {
    return {
      kind: 'reobserve',
      because: (doubt?.positions ?? analysis.question?.because ?? []).slice(0, 20),
      considered: [],
      actor: 'caller',
      retryAfterMs: Math.max(1_000, (analysis.question?.dueMs ?? 0) - analysis.asOfMs),
    }
  }
  if (last === undefined) return undefined
  return {
    decisionId: last.decisionId,
    kind: last.verdict,
    ...(last.targetWorkerId !== undefined && { workerId: last.targetWorkerId }),
    because: last.because,
    considered: last.considered,
    ...(last.duplicateRisk !== undefined && { duplicateRisk: last.duplicateRisk }),
    actor: 'caller',
    position: last.position,
    ...(!hasBasis(last, analysis) && { basis: 'withdrawn' as const }),
  }
}
