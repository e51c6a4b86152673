/** What a worker promised, what was seen of it and what of that is verified (V1, V2; contract §4). */
import type { GapReason } from '../event/gap.ts'
import type { ProbeLearned } from '../event/probe-step.ts'
import { rfc3339Of } from '../rfc3339.ts'
import { withShortLists, type Counted } from '../short-lists.ts'
import type { CardFact, WorkerFact } from '../fact/fact.ts'
import { compareMoments, isAfter } from '../fact/moment.ts'
import type { CoverageCounts, WorkerKnowledge } from '../task/analysis.ts'
import type { TaskState } from '../task/state.ts'
import { addCoverage, coverageKnown, noCoverage, type CoverageLevel } from './coverage.ts'
import { driftsAcross, type Drift } from './drift.ts'
import type { ConditionName, WorkerEvidence } from './evidence.ts'
import { advertisedModesOf, advertisedStatesOf, cardAt, cardsOf, enrolmentsOf, lastChangeMs, policyOf } from './knowledge.ts'
import { measuredOf, type Measured, type VerifiedMediaType, type VerifiedState } from './probe.ts'
import { medianOf, sumOfPushes } from './push-delivery.ts'
import { verifiedModesFor, verifiedOf, type Verification, type Verified } from './verified.ts'

interface StateSets extends Counted {
  readonly advertised: readonly TaskState[]
  readonly observed: readonly string[]
  readonly verified: readonly VerifiedState[]
}

interface MediaTypeSets extends Counted {
  readonly advertised: readonly string[]
  readonly observed: readonly string[]
  readonly verified: readonly VerifiedMediaType[]
}

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
  /** Secrets are write-only: `isTokenSet` says that one is set. The counts are absent where no push was seen. */
  readonly push?: { readonly isTokenSet?: true; readonly isTeed?: boolean } & Partial<PushDelivery>
  readonly states: StateSets
  readonly mediaTypes: MediaTypeSets
  /** What probes measured and still counts; `unknown` where none did. */
  readonly measured: Measured
  /** The same of each skill, of the card in force and of what was seen; the first 100. */
  readonly skills: readonly { readonly id: string; readonly states: StateSets; readonly mediaTypes: MediaTypeSets }[]
  readonly conditions: Readonly<
    Record<ConditionName, { readonly status: 'holds' | 'refuted' | 'unknown'; readonly because: readonly number[] }>
  >
  /** How much of its traffic was witnessed: what the shares and levels mean is said in `coverage.ts`. */
  readonly coverage: Counted & CoverageCounts & {
    readonly level: CoverageLevel
    readonly gaps: readonly {
      readonly from: string
      readonly to: string
      readonly witness: string
      readonly reason: GapReason
      readonly count: number
      readonly isExact: boolean
      readonly position: number
    }[]
  }
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
    /** When it was the card that emissions are judged by; without `to`: still. A broken card never is. */
    readonly inForce: readonly { readonly from: string; readonly to?: string }[]
  }[]
  /** What it began to emit under an unchanged card, each dated by the emission with which that began; the newest 100. */
  readonly drift: readonly {
    readonly skill?: string
    readonly from: readonly string[]
    readonly to: readonly string[]
    readonly since: string
    readonly positions: readonly [before: number, after: number]
  }[]
  /** What its operator should know. */
  readonly notes?: readonly WorkerNote[]
}

/** How its pushes arrive: what the counts mean is said in `push-delivery.ts`. */
export interface PushDelivery {
  readonly delivered: number
  /** Deliveries of a push that was recorded already; absent where nobody counted. */
  readonly repeated?: number
  readonly reordered: number
  readonly lost: number
  /** Milliseconds; absent where no push bore a stamp. */
  readonly delayMs?: { readonly p50: number; readonly max: number }
}

export interface WorkerNote {
  readonly code: 'card_signed' | 'grpc_unrecorded'
  readonly detail: string
}

/** The proxy changes no signed card, so what goes around it is not seen. */
const cardSigned: WorkerNote = {
  code: 'card_signed',
  detail:
    'The card is signed, so the proxy gives it out unchanged: a client that takes addresses from the card calls the worker itself, and those calls are not recorded. Point clients at the proxy by its own address, or let the worker sign a card that names the proxy.',
}

/** No proxy of ours speaks gRPC, so what is said over it is not seen. */
const grpcUnrecorded: WorkerNote = {
  code: 'grpc_unrecorded',
  detail:
    'The card offers gRPC, which the proxy does not speak: that address stays in the card, and calls to it go to the worker itself and are not recorded. Have clients use another binding of the card, or let the worker report what it does.',
}

export interface WorkerInput {
  readonly workerId: string
  readonly facts: readonly WorkerFact[]
  /** Contributions of all its tasks. */
  readonly evidence: readonly WorkerEvidence[]
  /** Pushes that were delivered again, as their receiver counted them. */
  readonly repeatedPushes?: number
  readonly asOfMs: number
}

const because = 20
const intervalsMax = 20

export const deriveWorker = (input: WorkerInput): WorkerView => {
  const { workerId, facts, evidence, asOfMs } = input
  const worker: WorkerKnowledge = { workerId, facts, losses: [] }
  const policy = policyOf(worker)
  const card = cardAt(worker, asOfMs)
  const verified = verifiedOf(worker, asOfMs)
  const states = advertisedStatesOf(card)
  const modes = advertisedModesOf(card)
  const stateSets = (advertised: readonly TaskState[], seen: readonly string[]): StateSets => withShortLists({
    advertised,
    observed: seen,
    verified: [...verified.states].map(([state, verification]) => ({ state, ...gradedOf(verification) })),
  })
  const modeSets = (advertised: readonly string[], seen: readonly string[], skill?: string): MediaTypeSets => withShortLists({
    advertised,
    observed: seen,
    verified: (advertised.length === 0 && skill !== undefined ? [] : verifiedModesFor(verified, card, skill)).flatMap((mediaType) => {
      const verification = verified.mediaTypes.get(mediaType)
      return verification === undefined ? [] : [{ mediaType, ...gradedOf(verification) }]
    }),
  })
  const hasAddress = enrolmentsOf(worker).some(({ settings }) => settings?.['interface'] !== undefined)
  const notes = !hasAddress ? [] : [...(card?.isSigned === true ? [cardSigned] : []), ...(card?.offersGrpc === true ? [grpcUnrecorded] : [])]
  const view: WorkerView = {
    workerId,
    mesh: policy.mesh,
    trust: policy.trust,
    ...(policy.replicas !== undefined && { replicas: policy.replicas }),
    ...(policy.owner !== undefined && { owner: policy.owner }),
    ...(policy.substitutes.length > 0 && { substitutes: policy.substitutes }),
    ...settingsOf(worker),
    ...pushIn(worker, evidence, input.repeatedPushes),
    states: stateSets(states, observed(evidence, ({ kind, key }) => (kind === 'state' ? key : undefined))),
    mediaTypes: modeSets(modes, observed(evidence, ({ kind, key }) => (kind === 'media-type' ? key : undefined))),
    skills: skillIds(card, evidence).map((id) => ({
      id,
      states: stateSets(
        states,
        observed(evidence, (entry) => (entry.kind === 'skill-state' && entry.skill === id ? entry.state : undefined)),
      ),
      mediaTypes: modeSets(
        card?.skills.some((skill) => skill.id === id) === true ? advertisedModesOf(card, id) : [],
        observed(evidence, (entry) => (entry.kind === 'skill-media-type' && entry.skill === id ? entry.mediaType : undefined)),
        id,
      ),
    })),
    measured: measuredOf(valuesOf(verified)),
    conditions: conditionsOf(worker, evidence, verified, asOfMs),
    coverage: coverageIn(worker, evidence),
    cards: cardEntries(cardsOf(worker)),
    drift: driftEntries(worker, evidence),
    ...(notes.length > 0 && { notes }),
  }
  return withShortLists(view, 'cards', 'drift')
}

const gradedOf = ({ grade, atMs, expiresMs }: Verification) => ({
  grade,
  at: rfc3339Of(atMs),
  ...(expiresMs !== undefined && { expiresAt: rfc3339Of(expiresMs) }),
})

const valuesOf = ({ measured }: Verified): ProbeLearned['measured'] =>
  Object.fromEntries(Object.entries(measured).map(([name, { value }]) => [name, value]))

/** The newest of each setting; header values are secrets, so only their names are shown. */
const settingsOf = (worker: WorkerKnowledge): Partial<Pick<WorkerView, 'interface' | 'observe' | 'probe'>> => {
  const enrolments = enrolmentsOf(worker)
  const settings: Record<string, unknown> = Object.assign({}, ...enrolments.map((fact) => fact.settings ?? {}))
  const address = settings['interface']
  if (typeof address === 'object' && address !== null && 'headers' in address) {
    settings['interface'] = withShortLists({ ...address, headers: Object.keys(address.headers ?? {}) })
  }
  return settings
}

/** Over all its tasks. */
const pushIn = (
  worker: WorkerKnowledge,
  evidence: readonly WorkerEvidence[],
  repeated: number | undefined,
): Pick<WorkerView, 'push'> => {
  const enrolments = enrolmentsOf(worker)
  const isTokenSet = enrolments.some(({ hasPushToken }) => hasPushToken)
  const isTeed = enrolments.findLast(({ isPushTeed }) => isPushTeed !== undefined)?.isPushTeed
  const { delivered, reordered, lost, delaysMs, delayMsMax } = sumOfPushes(evidence.flatMap((entry) => (entry.kind === 'push' ? [entry.counts] : [])))
  const p50 = medianOf(delaysMs)
  if (!isTokenSet && isTeed === undefined && delivered === 0) return {}
  return {
    push: {
      ...(isTokenSet && { isTokenSet }),
      ...(isTeed !== undefined && { isTeed }),
      ...(delivered > 0 && {
        delivered,
        ...(repeated !== undefined && { repeated }),
        reordered,
        lost,
        ...(p50 !== undefined && { delayMs: { p50, max: delayMsMax } }),
      }),
    },
  }
}

/** What `told` says of the entries, each once, in order of first sight. */
const observed = (
  evidence: readonly WorkerEvidence[],
  told: (entry: WorkerEvidence) => string | undefined,
): readonly string[] => [
  ...new Set(
    evidence
      .toSorted((left, right) => (left.positions[0] ?? 0) - (right.positions[0] ?? 0))
      .flatMap((entry) => told(entry) ?? []),
  ),
]

/** The skills of the card in force, then others that something was seen of. */
const skillIds = (card: CardFact | undefined, evidence: readonly WorkerEvidence[]): readonly string[] => {
  const seen = observed(evidence, (entry) =>
    entry.kind === 'skill-state' || entry.kind === 'skill-media-type' ? entry.skill : undefined,
  )
  return [...new Set([...(card?.skills ?? []).map(({ id }) => id), ...seen])]
}

/** Each change of types of one skill once, where it was seen first: within a task, or from one task to the next. */
const driftEntries = (worker: WorkerKnowledge, evidence: readonly WorkerEvidence[]): WorkerView['drift'] => {
  const within = evidence.flatMap((entry) => (entry.kind === 'drift' ? [entry.drift] : []))
  const emissions = evidence.flatMap((entry) => (entry.kind === 'emission' ? [entry.emission] : []))
  const firsts = new Map<string, Drift>()
  for (const drift of [...within, ...driftsAcross(worker, emissions)]) {
    const key = JSON.stringify([drift.skill, drift.from.mediaTypes, drift.to.mediaTypes])
    const known = firsts.get(key)
    if (known === undefined || isAfter(known.to, drift.to)) firsts.set(key, drift)
  }
  return [...firsts.values()]
    .toSorted((left, right) => compareMoments(left.to, right.to))
    .map(({ skill, from, to }) => ({
      ...(skill !== undefined && { skill }),
      from: from.mediaTypes,
      to: to.mediaTypes,
      since: rfc3339Of(to.atMs),
      positions: [from.position, to.position] as const,
    }))
}

/** Over all its tasks; the newest gaps. */
const coverageIn = (worker: WorkerKnowledge, evidence: readonly WorkerEvidence[]): WorkerView['coverage'] => {
  const counts = evidence.reduce((sum, entry) => (entry.kind === 'coverage' ? addCoverage(sum, entry.counts) : sum), noCoverage)
  const { gaps, ...coverage } = coverageKnown(worker, counts)
  return withShortLists({
    ...coverage,
    gaps: gaps.map(({ fromMs, toMs, witness, reason, count, isExact, position }) => ({
      from: rfc3339Of(fromMs),
      to: rfc3339Of(toMs),
      witness,
      reason,
      count,
      isExact,
      position,
    })),
  }, 'gaps')
}

/** V1: by the evidence since the card's last change in what matters; one refutation is enough. */
const conditionsOf = (
  worker: WorkerKnowledge,
  evidence: readonly WorkerEvidence[],
  verified: Verified,
  asOfMs: number,
): WorkerView['conditions'] => {
  const sinceMs = lastChangeMs(cardsOf(worker).filter(({ isValid, atMs }) => isValid && atMs <= asOfMs))
  const relevant = [...evidence.filter((entry) => entry.kind === 'condition' && entry.atMs >= sinceMs), ...probeConditionsOf(worker.workerId, verified)]
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

/** What probes say of the conditions; of what they measured the newest word. C5 is about orchestrators. */
const probeConditionsOf = (workerId: string, { states, mediaTypes, measured, strayStates, strayMediaTypes }: Verified): readonly WorkerEvidence[] => {
  const entry = (name: ConditionName, isRefuted: boolean, said: readonly { readonly position: number; readonly atMs?: number }[]): WorkerEvidence => ({
    kind: 'condition',
    key: `${name} probed`,
    condition: name,
    status: isRefuted ? 'refuted' : 'holds',
    workerId,
    positions: said.map(({ position }) => position),
    atMs: 0,
  })
  const probedOnly = <Key>(found: ReadonlyMap<Key, Verification>) => [...found.values()].filter(({ grade }) => grade !== 'trusted')
  const { survivesRestart, idempotentMessageId } = measured
  const [kept, emitted] = [probedOnly(states), probedOnly(mediaTypes)]
  return [
    ...(survivesRestart === undefined ? [] : [entry('C1', !survivesRestart.value, [survivesRestart])]),
    ...(idempotentMessageId === undefined ? [] : [entry('C2', !idempotentMessageId.value, [idempotentMessageId])]),
    ...(strayStates.length > 0 ? [entry('C3', true, strayStates)] : kept.length > 0 ? [entry('C3', false, kept)] : []),
    ...(strayMediaTypes.length > 0 ? [entry('C4', true, strayMediaTypes)] : emitted.length > 0 ? [entry('C4', false, emitted)] : []),
  ]
}

/** One entry a content, with the times in which it was the last complete card that anybody had fetched. */
const cardEntries = (cards: readonly CardFact[]): WorkerView['cards'] => {
  const intervals = intervalsOf(cards.filter(({ isValid }) => isValid))
  return [...Map.groupBy(cards, ({ essenceDigest }) => essenceDigest).values()]
    .flatMap((same) => {
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
          inForce: intervals.get(first.essenceDigest) ?? [],
        },
      ]
    })
}

type Intervals = WorkerView['cards'][number]['inForce']

/** By essence, the times between the first fetch of it and that of another one. */
const intervalsOf = (cards: readonly CardFact[]): ReadonlyMap<string, Intervals> => {
  const intervals = new Map<string, Intervals>()
  let from: CardFact | undefined
  const close = (card: CardFact, to: CardFact | undefined) => {
    const interval = { from: rfc3339Of(card.atMs), ...(to !== undefined && { to: rfc3339Of(to.atMs) }) }
    intervals.set(card.essenceDigest, [...(intervals.get(card.essenceDigest) ?? []), interval].slice(-intervalsMax))
  }
  for (const card of cards) {
    if (from?.essenceDigest === card.essenceDigest) continue
    if (from !== undefined) close(from, card)
    from = card
  }
  if (from !== undefined) close(from, undefined)
  return intervals
}
