/** What one logical task contributes to what is known about its workers (P6, V1). */
import type { AttemptAnalysis, CoverageCounts, Emission, LossInterval, PushCounts, TaskAnalysis, VariantAnalysis } from '../task/analysis.ts'
import { isCanaryCorrelationId } from '../correlation/canary.ts'
import type { TaskState } from '../task/state.ts'
import type { Piece, TaskFact } from '../fact/fact.ts'
import { isSign } from '../task/attempt.ts'
import { prematureConclusions } from '../task/premature-conclusion.ts'
import { reissueOf } from '../task/reissue.ts'
import { coverageOf } from './coverage.ts'
import { ownDriftsOf, skillOfTask, type Drift } from './drift.ts'
import { cardAt, restartsOf } from './knowledge.ts'
import { pushCountsOf } from './push-delivery.ts'

/** The five conditions under which a card is a contract (V1). */
export type ConditionName = 'C1' | 'C2' | 'C3' | 'C4' | 'C5'

interface EvidenceBase {
  readonly workerId: string
  /** Tells the contributions of one task to one worker apart; the newest one of a key counts. */
  readonly key: string
  readonly positions: readonly number[]
  readonly atMs: number
}

export type WorkerEvidence =
  | (EvidenceBase & { readonly kind: 'state' })
  | (EvidenceBase & { readonly kind: 'media-type' })
  | (EvidenceBase & { readonly kind: 'condition'; readonly condition: ConditionName; readonly status: 'holds' | 'refuted' })
  | (EvidenceBase & { readonly kind: 'loss'; readonly loss: LossInterval })
  | (EvidenceBase & { readonly kind: 'emission'; readonly emission: Emission })
  | (EvidenceBase & { readonly kind: 'reach'; readonly reached: 'answered' | 'unreachable' })
  | (EvidenceBase & { readonly kind: 'skill-state'; readonly skill: string; readonly state: TaskState })
  | (EvidenceBase & { readonly kind: 'skill-media-type'; readonly skill: string; readonly mediaType: string })
  | (EvidenceBase & { readonly kind: 'drift'; readonly drift: Drift })
  | (EvidenceBase & { readonly kind: 'coverage'; readonly correlationId: string; readonly counts: CoverageCounts })
  | (EvidenceBase & { readonly kind: 'push'; readonly counts: PushCounts })

/**
 * Everything the task says about its workers; replaces what it said before.
 *
 * Of a canary only that its worker answers: what it shows of states, media types and durability its probe says itself,
 * and it is lost on purpose.
 */
export const workerEvidenceOf = (analysis: TaskAnalysis): readonly WorkerEvidence[] =>
  isCanaryCorrelationId(analysis.correlationId) ? reachability(analysis) : evidenceOf(analysis)

const evidenceOf = (analysis: TaskAnalysis): readonly WorkerEvidence[] => [
  ...analysis.attempts.flatMap((attempt) => [
    ...observedStates(attempt, analysis),
    ...lossOf(attempt, analysis),
    ...durability(attempt, analysis),
  ]),
  ...observedModes(analysis),
  ...emissionsOf(analysis),
  ...drifted(analysis),
  ...stableIds(analysis),
  ...contractKept(analysis),
  ...prematureFailures(analysis),
  ...reachability(analysis),
  ...witnessed(analysis),
  ...deliveries(analysis),
]

/** Each state of the attempt where it was entered first, and the same of its skill, where that is known. */
const observedStates = ({ workerId, taskId, changes }: AttemptAnalysis, analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const firsts = [...new Map(changes.toReversed().map((change) => [change.state, change])).values()]
  return firsts.flatMap(({ state, position, atMs }): readonly WorkerEvidence[] => {
    const seen = { workerId, positions: [position], atMs }
    const skill = skillOfTask(analysis, workerId, taskId, atMs)
    const ofSkill: readonly WorkerEvidence[] =
      skill === undefined ? [] : [{ ...seen, kind: 'skill-state', key: JSON.stringify([skill, state]), skill, state }]
    return [{ ...seen, kind: 'state', key: state }, ...ofSkill]
  })
}

/** When the worker began to emit other media types than before, within the task. */
const drifted = (analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const firsts = new Map<string, WorkerEvidence>()
  for (const drift of ownDriftsOf(analysis)) {
    const { workerId, skill, from, to } = drift
    const key = JSON.stringify([skill ?? null, from.mediaTypes, to.mediaTypes])
    const id = JSON.stringify([workerId, key])
    if (firsts.has(id)) continue
    firsts.set(id, { kind: 'drift', workerId, key, positions: [from.position, to.position], atMs: to.atMs, drift })
  }
  return [...firsts.values()]
}

/** How much of each worker's part in the task anybody saw. */
const witnessed = (analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const firsts = new Map<string, TaskFact>()
  for (const fact of analysis.facts) {
    if (fact.workerId !== undefined && !firsts.has(fact.workerId)) firsts.set(fact.workerId, fact)
  }
  return [...firsts].flatMap(([workerId, { position, atMs }]): readonly WorkerEvidence[] => {
    const counts = coverageOf(analysis, workerId)
    return counts.tasks === 0 && counts.sends === 0
      ? []
      : [{ kind: 'coverage', correlationId: analysis.correlationId, workerId, key: 'coverage', positions: [position], atMs, counts }]
  })
}

/** How the pushes of each worker arrived. */
const deliveries = (analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const workers = new Set(analysis.facts.flatMap(({ operation, workerId }) => (operation === 'Push' && workerId !== undefined ? [workerId] : [])))
  return [...workers].flatMap((workerId): readonly WorkerEvidence[] => {
    const told = pushCountsOf(analysis, workerId)
    if (told === undefined) return []
    const { counts, first, last } = told
    return [{ kind: 'push', workerId, key: 'push', positions: [first.position, last.position], atMs: last.atMs, counts }]
  })
}

const piecesOf = (fact: TaskFact): readonly Piece[] => {
  if (fact.kind === 'report') return fact.pieces ?? []
  return fact.kind === 'artifact' || (fact.kind === 'message' && fact.taskId === undefined) ? [fact.piece] : []
}

/** Each media type where it was emitted first, and the same of the skill that the task was about then. */
const observedModes = (analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const seen = new Map<string, WorkerEvidence>()
  const skills = new Map<string, string | undefined>()
  for (const fact of analysis.facts) {
    const { workerId, taskId, position, atMs } = fact
    if (workerId === undefined || fact.refused?.code === 'correlation_conflict') continue
    for (const mode of piecesOf(fact).flatMap(({ mediaTypes }) => mediaTypes)) {
      const key = JSON.stringify([workerId, mode])
      if (!seen.has(key)) seen.set(key, { kind: 'media-type', workerId, key: mode, positions: [position], atMs })
      const task = JSON.stringify([workerId, taskId])
      if (!skills.has(task)) skills.set(task, skillOfTask(analysis, workerId, taskId, atMs))
      const skill = skills.get(task)
      const ofSkill = JSON.stringify([workerId, skill, mode])
      if (skill === undefined || seen.has(ofSkill)) continue
      seen.set(ofSkill, {
        kind: 'skill-media-type',
        workerId,
        key: JSON.stringify([skill, mode]),
        positions: [position],
        atMs,
        skill,
        mediaType: mode,
      })
    }
  }
  return [...seen.values()]
}

/** The newest media types of each skill: what the next task of that skill is held against. */
const emissionsOf = (analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const times = new Map(analysis.facts.map(({ position, atMs }) => [position, atMs]))
  const newest = new Map<string, WorkerEvidence>()
  for (const { workerId, taskId, mediaTypes, firstPosition: position } of variantsOf(analysis)) {
    const atMs = times.get(position) ?? 0
    const skill = skillOfTask(analysis, workerId, taskId, atMs)
    const key = JSON.stringify([workerId, skill])
    if (skill === undefined || (newest.get(key)?.atMs ?? -Infinity) > atMs) continue
    const emission = { correlationId: analysis.correlationId, mediaTypes, skill, position, atMs }
    newest.set(key, { kind: 'emission', workerId, key: skill, positions: [position], atMs, emission })
  }
  return [...newest.values()]
}

const variantsOf = ({ artifacts }: TaskAnalysis): readonly VariantAnalysis[] =>
  artifacts.flatMap(({ canonical, variants }) => [canonical, ...variants])

const lossOf = (attempt: AttemptAnalysis, analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const { workerId, taskId, lastLife, firstStrongNotFound: miss } = attempt
  if (attempt.life !== 'lost' || miss === undefined) return []
  const reissue = reissueOf(attempt, analysis)
  const loss = {
    correlationId: analysis.correlationId,
    taskId,
    lastLifeMs: lastLife.atMs,
    firstNotFoundMs: miss.atMs,
    position: miss.position,
    ...(reissue !== undefined && { reissuedAt: reissue.position }),
  }
  return [{ kind: 'loss', workerId, key: taskId, positions: [miss.position], atMs: miss.atMs, loss }]
}

const condition = (
  name: ConditionName,
  status: 'holds' | 'refuted',
  workerId: string,
  positions: readonly number[],
  atMs: number,
): WorkerEvidence => ({
  kind: 'condition',
  key: `${name} ${status}`,
  condition: name,
  status,
  workerId,
  positions: [...new Set(positions)].toSorted((left, right) => left - right).slice(0, 20),
  atMs,
})

/** C1: a task that was there before a restart is there after it, or is not. */
const durability = (attempt: AttemptAnalysis, analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const { workerId, firstStrongNotFound: miss } = attempt
  if (attempt.life === 'lost' && miss !== undefined) {
    const proof = attempt.restartPosition ?? reissueOf(attempt, analysis)?.position
    return proof === undefined ? [] : [condition('C1', 'refuted', workerId, [attempt.lastLife.position, proof, miss.position], miss.atMs)]
  }
  const restart = restartsOf(analysis.workers.get(workerId)).find(({ atMs }) => atMs > attempt.firstSeenMs)
  if (restart === undefined || attempt.contradictions > 0) return []
  const answer = analysis.facts.find(
    (fact) =>
      isSign(fact) &&
      fact.channel === 'answer' &&
      fact.workerId === workerId &&
      fact.taskId === attempt.taskId &&
      fact.atMs > restart.atMs,
  )
  return answer === undefined ? [] : [condition('C1', 'holds', workerId, [restart.position, answer.position], answer.atMs)]
}

/** C2: one message has one task id at one worker. */
const stableIds = ({ dispatches }: TaskAnalysis): readonly WorkerEvidence[] => {
  const answered = dispatches.filter(({ messageId, taskId, namedTaskId }) => messageId !== undefined && taskId !== undefined && namedTaskId === undefined)
  const repeated = [...Map.groupBy(answered, ({ workerId, messageId }) => JSON.stringify([workerId, messageId])).values()].filter(
    (group) => group.length > 1,
  )
  return repeated.flatMap((group) => {
    const [first] = group
    const last = group.at(-1)
    if (first === undefined || last === undefined) return []
    const isStable = group.every(({ taskId }) => taskId === first.taskId)
    return [condition('C2', isStable ? 'holds' : 'refuted', first.workerId, group.map(({ answerPosition, position }) => answerPosition ?? position), last.atMs)]
  })
}

/** C3, C4: what was emitted was advertised, or was not. */
const contractKept = (analysis: TaskAnalysis): readonly WorkerEvidence[] => {
  const times = new Map(analysis.facts.map(({ position, atMs }) => [position, atMs]))
  const broken = analysis.violations.flatMap(({ code, workerId, position }) => {
    if (workerId === undefined) return []
    if (code === 'state_not_advertised') return [condition('C3', 'refuted', workerId, [position], times.get(position) ?? 0)]
    if (code === 'media_type_not_advertised') return [condition('C4', 'refuted', workerId, [position], times.get(position) ?? 0)]
    return []
  })
  const isBroken = (name: ConditionName, id: string) => broken.some((entry) => entry.key.startsWith(name) && entry.workerId === id)
  const kept = analysis.attempts.flatMap((attempt) => {
    const { workerId, changes, lastLife } = attempt
    const card = cardAt(analysis.workers.get(workerId), lastLife.atMs)
    const last = changes.at(-1)
    if (card === undefined || last === undefined) return []
    const artifact = variantsOf(analysis).find(
      (variant) => variant.workerId === workerId && variant.taskId === attempt.taskId,
    )
    return [
      ...(isBroken('C3', workerId) ? [] : [condition('C3', 'holds', workerId, [last.position], last.atMs)]),
      ...(isBroken('C4', workerId) || artifact === undefined
        ? []
        : [condition('C4', 'holds', workerId, artifact.positions, times.get(artifact.firstPosition) ?? 0)]),
    ]
  })
  return [...broken, ...kept]
}

/** C5: an orchestrator concluded `failed` on a not-found, and the attempt had not failed. */
const prematureFailures = (analysis: TaskAnalysis): readonly WorkerEvidence[] =>
  prematureConclusions(analysis).flatMap(({ conclusion, concerned }) =>
    concerned.flatMap(({ workerId, notFounds }) => {
      const seen = notFounds.filter(({ atMs }) => atMs <= conclusion.atMs).map(({ position }) => position)
      return seen.length === 0 ? [] : [condition('C5', 'refuted', workerId, [...seen, conclusion.position], conclusion.atMs)]
    }),
  )

const unreachableReasons: ReadonlySet<string> = new Set(['refused', 'dns', 'tls'])

/** When each worker last answered anything, and when a connection to it last failed. */
const reachability = ({ facts }: TaskAnalysis): readonly WorkerEvidence[] => {
  const latest = new Map<string, WorkerEvidence>()
  for (const fact of facts) {
    const reached = reachedBy(fact)
    if (reached === undefined || fact.workerId === undefined) continue
    const key = JSON.stringify([fact.workerId, reached])
    const known = latest.get(key)
    if (known === undefined || known.atMs < fact.atMs) {
      latest.set(key, { kind: 'reach', workerId: fact.workerId, key: reached, reached, positions: [fact.position], atMs: fact.atMs })
    }
  }
  return [...latest.values()]
}

const reachedBy = (fact: TaskFact): 'answered' | 'unreachable' | undefined => {
  if (fact.kind === 'no-answer') return unreachableReasons.has(fact.reason) ? 'unreachable' : undefined
  if (fact.kind === 'error') return fact.isFromGateway === true ? undefined : 'answered'
  return isSign(fact) ? 'answered' : undefined
}
