/** What a worker promised, what was seen of it and what of that is verified (V1, V2; contract §4). */
import { rfc3339Of } from '../rfc3339.ts'
import { withShortLists, type Counted } from '../short-lists.ts'
import type { CardFact, WorkerFact } from '../fact/fact.ts'
import type { WorkerKnowledge } from '../task/analysis.ts'
import type { TaskState } from '../task/state.ts'
import type { ConditionName, WorkerEvidence } from './evidence.ts'
import { advertisedModesOf, advertisedStatesOf, cardAt, cardsOf, enrolmentsOf, policyOf } from './knowledge.ts'

export type Grade = 'trusted' | 'verified' | 'durable'

export interface WorkerView extends Counted {
  readonly workerId: string
  readonly mesh: string
  readonly trust: 'verify' | 'card'
  readonly replicas?: number
  readonly owner?: string
  readonly substitutes?: readonly string[]
  readonly interface?: unknown
  readonly observe?: unknown
  readonly probe?: unknown
  /** Secrets are write-only: this says that one is set. */
  readonly push?: { readonly isTokenSet: true }
  readonly states: Counted & {
    readonly advertised: readonly TaskState[]
    readonly observed: readonly string[]
    readonly verified: readonly { readonly state: TaskState; readonly grade: Grade; readonly at: string }[]
  }
  readonly mediaTypes: Counted & {
    readonly advertised: readonly string[]
    readonly observed: readonly string[]
    readonly verified: readonly { readonly mediaType: string; readonly grade: Grade; readonly at: string }[]
  }
  readonly conditions: Readonly<
    Record<ConditionName, { readonly status: 'holds' | 'refuted' | 'unknown'; readonly because: readonly number[] }>
  >
  readonly cards: readonly {
    readonly digest: string
    readonly name?: string
    readonly version?: string
    readonly valid: boolean
    readonly missing: readonly string[]
    readonly signed: boolean
    readonly firstSeen: string
    readonly lastSeen: string
    readonly positions: readonly [first: number, last: number]
  }[]
}

export interface WorkerInput {
  readonly workerId: string
  readonly facts: readonly WorkerFact[]
  /** Contributions of all its tasks. */
  readonly evidence: readonly WorkerEvidence[]
  readonly asOfMs: number
}

const because = 20

export const deriveWorker = (input: WorkerInput): WorkerView => {
  const { workerId, facts, evidence, asOfMs } = input
  const worker: WorkerKnowledge = { workerId, facts, losses: [] }
  const policy = policyOf(worker)
  const card = cardAt(worker, asOfMs)
  const at = rfc3339Of(card?.atMs ?? 0)
  const isTrusted = policy.trust === 'card' && card !== undefined
  const states = advertisedStatesOf(card)
  const modes = advertisedModesOf(card)
  const view: WorkerView = {
    workerId,
    mesh: policy.mesh,
    trust: policy.trust,
    ...(policy.replicas !== undefined && { replicas: policy.replicas }),
    ...(policy.owner !== undefined && { owner: policy.owner }),
    ...(policy.substitutes.length > 0 && { substitutes: policy.substitutes }),
    ...settingsOf(worker),
    states: withShortLists({
      advertised: states,
      observed: observed(evidence, 'state'),
      verified: isTrusted ? states.map((state) => ({ state, grade: 'trusted' as const, at })) : [],
    }),
    mediaTypes: withShortLists({
      advertised: modes,
      observed: observed(evidence, 'media-type'),
      verified: isTrusted ? modes.map((mediaType) => ({ mediaType, grade: 'trusted' as const, at })) : [],
    }),
    conditions: conditionsOf(worker, evidence, asOfMs),
    cards: cardEntries(cardsOf(worker)),
  }
  return withShortLists(view, 'cards')
}

/** The newest of each setting; header values are secrets, so only their names are shown. */
const settingsOf = (worker: WorkerKnowledge): Partial<Pick<WorkerView, 'interface' | 'observe' | 'probe' | 'push'>> => {
  const enrolments = enrolmentsOf(worker)
  const settings: Record<string, unknown> = Object.assign({}, ...enrolments.map((fact) => fact.settings ?? {}))
  const address = settings['interface']
  if (typeof address === 'object' && address !== null && 'headers' in address) {
    settings['interface'] = withShortLists({ ...address, headers: Object.keys(address.headers ?? {}) })
  }
  return {
    ...settings,
    ...(enrolments.some(({ hasPushToken }) => hasPushToken) && { push: { isTokenSet: true as const } }),
  }
}

/** Each once, in order of first sight. */
const observed = (evidence: readonly WorkerEvidence[], kind: WorkerEvidence['kind']): readonly string[] => [
  ...new Set(
    evidence
      .filter((entry) => entry.kind === kind)
      .toSorted((left, right) => (left.positions[0] ?? 0) - (right.positions[0] ?? 0))
      .map(({ key }) => key),
  ),
]

/** V1: by the evidence since the card's last change in what matters; one refutation is enough. */
const conditionsOf = (
  worker: WorkerKnowledge,
  evidence: readonly WorkerEvidence[],
  asOfMs: number,
): WorkerView['conditions'] => {
  const sinceMs = lastChangeMs(cardsOf(worker).filter(({ isValid, atMs }) => isValid && atMs <= asOfMs))
  const relevant = evidence.filter((entry) => entry.kind === 'condition' && entry.atMs >= sinceMs)
  const entryOf = (name: ConditionName) => {
    const own = relevant.filter((entry) => entry.kind === 'condition' && entry.condition === name)
    const refuting = own.filter((entry) => entry.kind === 'condition' && entry.status === 'refuted')
    const proof = refuting.length > 0 ? refuting : own
    return {
      status: refuting.length > 0 ? ('refuted' as const) : own.length > 0 ? ('holds' as const) : ('unknown' as const),
      because: [...new Set(proof.flatMap(({ positions }) => positions))].toSorted((a, b) => a - b).slice(0, because),
    }
  }
  return { C1: entryOf('C1'), C2: entryOf('C2'), C3: entryOf('C3'), C4: entryOf('C4'), C5: entryOf('C5') }
}

/** When the essence of the card in force was first seen without another one in between. */
const lastChangeMs = (cards: readonly CardFact[]): number => {
  const current = cards.at(-1)?.essenceDigest
  const lastOther = cards.findLastIndex(({ essenceDigest }) => essenceDigest !== current)
  return lastOther < 0 ? -Infinity : (cards[lastOther + 1]?.atMs ?? -Infinity)
}

const cardEntries = (cards: readonly CardFact[]): WorkerView['cards'] =>
  [...Map.groupBy(cards, ({ essenceDigest }) => essenceDigest).values()].flatMap((same) => {
    const [first] = same
    const last = same.at(-1)
    if (first === undefined || last === undefined) return []
    return [
      {
        digest: `sha256:${first.essenceDigest}`,
        ...(last.name !== undefined && { name: last.name }),
        ...(last.version !== undefined && { version: last.version }),
        valid: first.isValid,
        missing: first.missing,
        signed: last.isSigned,
        firstSeen: rfc3339Of(first.atMs),
        lastSeen: rfc3339Of(last.atMs),
        positions: [first.position, last.position] as const,
      },
    ]
    })
