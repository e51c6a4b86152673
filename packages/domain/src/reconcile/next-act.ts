/**
 * What the ledger itself has to do about a `redispatch` (V5, V8): nothing, send it, or hold it and say why.
 *
 * Pure: of the mesh it takes the policy and what was counted in the last minute. The reasons to hold come in
 * the order of `heldReasons`; the first that applies is told. What the send itself lacks – a message, a
 * credential, an address that may be called – is found when it is made.
 */
import { cardAt, policyOf } from '../capability/knowledge.ts'
import type { Actor } from '../event/dispatch-intent.ts'
import type { MeshPolicy } from '../event/mesh-policy.ts'
import type { VerdictFact } from '../fact/fact.ts'
import type { TaskAnalysis } from '../task/analysis.ts'
import { actorOf, verdictInForce } from './answer.ts'
import { claimOf, isLapseHarmless } from './claim.ts'
import { modeOf } from './mode.ts'
import { isKnownAgain } from './repeat.ts'
import { triesMax } from './turned-down.ts'

/** Why the ledger does not send now, in order of precedence. */
export const heldReasons = {
  approval: 'It waits for a person to approve it.',
  mode: 'The mode of the mesh, or of the dispatch, no longer lets the ledger send.',
  'outcome-unknown': 'An earlier send on it lapsed, nobody knows whether it was made, and a second one may do harm.',
  'stale-evidence': 'What it rests on was recorded more than five minutes after it was seen.',
  risk: 'The work is likely to run twice.',
  'replicas-unknown': 'Nobody said how many replicas the worker that lost it has.',
  'no-message': 'The send that began it was not witnessed, or cannot be read any more: claim the decision, and send the work yourself.',
  credentials: 'The send that began it bears a credential, and credentials are not kept: claim the decision, and send the work yourself.',
  'no-address': 'No address of the worker is known that it can be sent to, nor of another candidate: enrol it with `interface.url`.',
  'not-called': 'Our own rules refuse the address of the worker, and no other candidate can be called: enrol it with one that may be called, or allow it by `OUTBOUND_ALLOW_CIDRS`.',
  attempts: 'The task was re-dispatched as often as the mesh allows.',
  storm: 'The mesh is losing so many tasks that sending them again would be a storm of its own.',
  rate: 'The mesh had as many re-dispatches in the last minute as it allows.',
  tries: 'The worker was tried as often as the ledger tries one.',
  backoff: 'The worker could not be reached, or gave no answer; it is tried again a little later.',
} as const

export type HeldReason = keyof typeof heldReasons

/** What a mesh allows and has had. */
export interface MeshLoad {
  readonly policy: MeshPolicy | undefined
  /** Intents of the ledger's own in the last minute. */
  readonly sentCount: number
  /** Verdicts on losses in the last minute. */
  readonly lostCount: number
}

export type NextAct =
  | { readonly act: 'nothing' }
  | { readonly act: 'held'; readonly because: HeldReason; readonly decisionId: string }
  | {
      readonly act: 'send'
      readonly decisionId: string
      readonly workerId: string
      readonly actor: Actor
      readonly n: number
    }

/** What a mesh allows unless its operator decides. */
export const actDefaults = { attemptsMax: 3, ratePerMinute: 30 } as const

/** So many losses of a mesh within a minute are a storm. */
export const stormLossesPerMinute = 20

/** V5: evidence that was recorded later than this after it was seen is history. */
export const evidenceAgeMsMax = 300_000

/** The next act on the verdict in force at `analysis.asOfMs`; acting is left to whoever gets its intent recorded. */
export const nextAct = (analysis: TaskAnalysis, load: MeshLoad): NextAct => {
  const verdict = verdictInForce(analysis)
  if (verdict?.verdict !== 'redispatch') return { act: 'nothing' }
  const { decisionId } = verdict
  const claim = claimOf(analysis, decisionId)
  const held = (because: HeldReason): NextAct => ({ act: 'held', because, decisionId })
  if (claim.status === 'unapproved') return held('approval')
  if (claim.status !== 'free') return { act: 'nothing' }
  const isApproved = analysis.approvals.some((approval) => approval.decisionId === decisionId)
  const actor = isApproved ? 'approver' : (verdict.actor ?? 'caller')
  if (actor === 'caller') return { act: 'nothing' }
  const mode = modeOf(analysis, load.policy)
  if (mode !== 'auto' && !(isApproved && mode === 'approve')) return held('mode')
  if (claim.lapsed !== undefined && !isLapseHarmless(analysis, claim.lapsed)) return held('outcome-unknown')
  const because = isStale(analysis, verdict) ? 'stale-evidence' : (isApproved ? undefined : doubtOf(analysis, verdict)) ?? excessOf(analysis, decisionId, load) ?? pauseOf(analysis, decisionId)
  if (because !== undefined) return held(because)
  return { act: 'send', decisionId, workerId: claim.verdict.targetWorkerId, actor, n: claim.n }
}

/** True for a `redispatch` in force that is not left to its caller alone: the only ones that need a load. */
export const isLeftToLedger = (analysis: TaskAnalysis): boolean => {
  const verdict = verdictInForce(analysis)
  return verdict?.verdict === 'redispatch' && actorOf(analysis, verdict) !== 'caller'
}

/** V5: the evidence that opened the question was history already when it was recorded. */
const isStale = ({ facts }: TaskAnalysis, { openedAt }: VerdictFact): boolean => {
  const opening = facts.find(({ position }) => position === openedAt)
  return opening === undefined || opening.recordedAtMs - opening.atMs > evidenceAgeMsMax
}

/** V8: what nobody but a person may take upon themselves, unless the work may be repeated. */
const doubtOf = (analysis: TaskAnalysis, verdict: VerdictFact): HeldReason | undefined => {
  if (mayRepeat(analysis, verdict)) return undefined
  if (verdict.duplicateRisk === 'likely') return 'risk'
  const isLoss = verdict.askedTaskId !== undefined
  return isLoss && policyOf(analysis.workers.get(verdict.askedWorkerId)).replicas === undefined ? 'replicas-unknown' : undefined
}

/**
 * The work is declared to do no harm when it runs twice: by who sent it, by the card of the worker that had
 * it, or because that worker knows work by its correlation ID and no probe saw otherwise. That a worker knows
 * messages again says nothing, since this one goes elsewhere and is another message.
 */
const mayRepeat = ({ dispatches, workers, asOfMs }: TaskAnalysis, { askedWorkerId }: VerdictFact): boolean => {
  const declared = dispatches.findLast(({ redispatchSafety }) => redispatchSafety !== undefined)?.redispatchSafety
  const worker = workers.get(askedWorkerId)
  const card = cardAt(worker, asOfMs)
  const safety = declared ?? card?.redispatchSafety
  if (safety === 'safe' || safety === 'idempotent') return true
  return declared === undefined && card?.idempotencyKey === 'correlationId' && isKnownAgain(worker, asOfMs) !== false
}

/** Decisions of one task that were sent on before, losses and sends of its mesh. */
const excessOf = ({ intents }: TaskAnalysis, own: string, { policy, sentCount, lostCount }: MeshLoad): HeldReason | undefined => {
  const { attemptsMax = actDefaults.attemptsMax, ratePerMinute = actDefaults.ratePerMinute } = policy ?? {}
  const repeated = new Set(
    intents.flatMap(({ purpose, outcome, decisionId }) => (purpose === 'redispatch' && outcome !== 'not-sent' && decisionId !== own ? [decisionId] : [])),
  )
  if (repeated.size >= attemptsMax) return 'attempts'
  if (lostCount >= stormLossesPerMinute) return 'storm'
  return sentCount >= ratePerMinute ? 'rate' : undefined
}

/** A worker that was not reached, or takes the same message once, is tried again: later each time, and not for ever. */
const pauseOf = ({ intents, asOfMs }: TaskAnalysis, decisionId: string): HeldReason | undefined => {
  const tries = intents.filter((intent) => intent.decisionId === decisionId && intent.actor !== 'caller')
  if (tries.length >= triesMax) return 'tries'
  const pauseMs = Math.min(pauseMsMax, 1_000 * 4 ** (tries.length - 1))
  const lastMs = tries.at(-1)?.said?.recordedAtMs
  return lastMs !== undefined && asOfMs < lastMs + pauseMs ? 'backoff' : undefined
}

const pauseMsMax = 60_000

/** Reasons that time alone takes away: it is worth looking again. */
export const passes = (because: HeldReason): boolean => because === 'storm' || because === 'rate' || because === 'backoff'
