/** The root cause of where one logical task stands: findings, and one sentence that says it plainly. */
import { unwitnessedOf } from '../capability/coverage.ts'
import { policyOf } from '../capability/knowledge.ts'
import { isAfter } from '../fact/moment.ts'
import { rfc3339Of } from '../rfc3339.ts'
import type { TaskAnalysis } from '../task/analysis.ts'
import { childrenAmong, type Kin } from '../task/family.ts'
import { isTerminal } from '../task/state.ts'
import { openCase, type CaseFile, type ChildCase, type ServerTask } from './case-file.ts'
import { positionsOf, type LossCause } from './cause.ts'
import { troubledChildrenOf, type Child } from './children.ts'
import { confidences, type CauseText, type Confidence, type Finding, type Found, type Proof, type RootCause } from './finding.ts'
import { lossCauses, otherCauses } from './precedence.ts'
import { summarise } from './summary.ts'
import { fillIn } from './wording.ts'

const findingsMax = 100
/** How far down children of children are followed. */
const depthMax = 8

/**
 * Explains one logical task; `pool` holds the tasks among which its children, and theirs, are.
 *
 * Pure, never throws; linear in the facts of the task for each cause, once for every task that is
 * followed down to; none is gone into twice. One finding per cause and worker, the cause that explains the state of the task
 * first, then in the order of the tables in `precedence.ts`, then what began in child tasks.
 * Source: contract §4 and §7.
 */
export const explainTask = (analysis: TaskAnalysis, pool: readonly TaskAnalysis[] = []): RootCause => {
  const { file, found, lead } = investigate(analysis, familyOf(pool.includes(analysis) ? pool : [...pool, analysis]), [])
  const ordered = lead === undefined ? found : [lead, ...found.filter((other) => other !== lead)]
  return {
    summary: summarise(file, ordered, lead),
    findings: ordered.slice(0, findingsMax).map(findingOf),
  }
}

interface Investigation {
  readonly file: CaseFile
  readonly found: readonly Found[]
  readonly lead?: Found
}

interface Family {
  /** By correlation ID of the parent. */
  readonly children: ReadonlyMap<string, readonly Child[]>
  /** What leads the explanation of the tasks that were gone into so far. */
  readonly leads: Map<string, Found | undefined>
}

const familyOf = (pool: readonly TaskAnalysis[]): Family => {
  const analyses = new Map(pool.map((analysis) => [analysis.correlationId, analysis]))
  const childrenIn = (kin: readonly Kin[]): readonly Child[] =>
    kin.flatMap((each) => {
      const analysis = analyses.get(each.correlationId)
      return analysis === undefined ? [] : [{ analysis, kin: each }]
    })
  const children = new Map([...childrenAmong(pool)].map(([parent, kin]) => [parent, childrenIn(kin)]))
  return { children, leads: new Map() }
}

/** `path` holds the tasks on the way here: none of them is gone into again, and no other one twice. */
const investigate = (analysis: TaskAnalysis, family: Family, path: readonly string[]): Investigation => {
  const on = [...path, analysis.correlationId]
  const troubled = path.length < depthMax ? troubledChildrenOf(analysis, family.children.get(analysis.correlationId) ?? []) : []
  const children = troubled.flatMap((child): readonly ChildCase[] => {
    const id = child.analysis.correlationId
    if (on.includes(id)) return []
    if (!family.leads.has(id)) family.leads.set(id, investigate(child.analysis, family, on).lead)
    const lead = family.leads.get(id)
    return [{ ...child, ...(lead !== undefined && { lead }) }]
  })
  const file = openCase(analysis, children)
  const own = [...lossesOf(file), ...otherCauses.flatMap((cause) => perWorker(cause, cause.find(file), file))]
  const inherited = children.flatMap((child) => inheritedFrom(child))
  const ownLead = leadOf(file, own)
  const lead = ownLead === undefined || ownLead.cause.isNoBeginning === true ? (inherited[0] ?? ownLead) : ownLead
  return { file, found: [...own, ...inherited], ...(lead !== undefined && { lead }) }
}

/**
 * What leads the explanation of a child, as far as it explains the child's state: said of the child,
 * and no surer than that the child is one at all.
 */
const inheritedFrom = ({ analysis: { correlationId, state }, kin, lead }: ChildCase): readonly Found[] => {
  if (lead === undefined || (lead.proof.child === undefined && lead.cause.explains?.includes(state) !== true)) return []
  const began = lead.proof.child
  const child = began === undefined ? { correlationId, via: [] } : { ...began, via: [correlationId, ...began.via] }
  const atMost: Confidence = kin.by === 'stated' ? 'likely' : 'possible'
  const confidence = surest(lead.proof.confidence, atMost) === atMost ? lead.proof.confidence : atMost
  return [{ ...lead, proof: { ...lead.proof, confidence, because: positionsOf([kin.position, ...lead.proof.because]), child } }]
}

/** A lost attempt has one cause, the first with evidence; some causes tell of tasks that are not lost. */
const lossesOf = (file: CaseFile): readonly Found[] => {
  const proofs = new Map<LossCause, Proof[]>()
  for (const task of file.serverTasks) {
    const [cause, found] = leadingLossOf(task, file) ?? []
    if (cause === undefined || found === undefined) continue
    const known = proofs.get(cause) ?? []
    known.push({ ...found, workerId: task.workerId, taskId: task.taskId })
    proofs.set(cause, known)
  }
  return lossCauses.flatMap((cause) => perWorker(cause, proofs.get(cause) ?? [], file))
}

const leadingLossOf = (task: ServerTask, file: CaseFile): readonly [LossCause, Proof] | undefined => {
  for (const cause of lossCauses) {
    const found = cause.isWithoutLoss || task.attempt?.life === 'lost' ? cause.find(task, file) : undefined
    if (found !== undefined) return [cause, found]
  }
  return undefined
}

/** One finding a worker and child, with the positions of all its proofs and the surest confidence. */
const perWorker = (cause: CauseText, proofs: readonly Proof[], file: CaseFile): readonly Found[] => {
  const found = new Map<string, Found>()
  for (const proof of proofs) {
    const key = JSON.stringify([proof.workerId, proof.child?.correlationId])
    const each = foundBy(cause, proof, file)
    const known = found.get(key)
    found.set(key, known === undefined ? each : surer(known, each))
  }
  return [...found.values()]
}

/** Who is responsible, and whose it is; nobody where too little was witnessed to tell. */
const foundBy = (cause: CauseText, proof: Proof, file: CaseFile): Found => {
  const unwitnessed = unwitnessedIn(cause, proof, file)
  if (unwitnessed !== undefined) return { cause, proof: { ...proof, confidence: 'possible' }, responsible: 'unknown', unwitnessed }
  if (proof.instead !== undefined) return { cause, proof, responsible: proof.instead.responsible }
  const isOwned = cause.responsible === 'worker' || cause.responsible === 'platform'
  const owner = isOwned && proof.workerId !== undefined ? policyOf(file.workerOf({ workerId: proof.workerId })).owner : undefined
  return { cause, proof, responsible: cause.responsible, ...(owner !== undefined && { owner }) }
}

/**
 * What of that which the cause argues from nobody witnessed; `undefined` when enough was, or when it
 * blames nobody anyway. A gap counts where it covers the time that the proof rests on.
 */
const unwitnessedIn = (cause: CauseText, proof: Proof, file: CaseFile): string | undefined => {
  const { workerId, restsOn } = proof
  if (cause.responsible === 'unknown' || cause.responsible === 'nobody') return undefined
  if (proof.unwitnessed !== undefined) return fillIn(proof.unwitnessed, proof)
  const workerIds = workerId === undefined ? new Set(file.analysis.attempts.map((attempt) => attempt.workerId)) : [workerId]
  for (const id of workerIds) {
    const coverage = file.coverageOf(id)
    const gap = restsOn && coverage.gaps.find(({ fromMs, toMs }) => fromMs < restsOn.toMs && toMs > restsOn.fromMs)
    if (gap !== undefined) return fillIn(`Nothing of {worker} was recorded from ${rfc3339Of(gap.fromMs)} to ${rfc3339Of(gap.toMs)}.`, { workerId: id })
    const said = cause.isByAbsence === true && (coverage.level === 'none' || coverage.level === 'low') ? unwitnessedOf(coverage) : undefined
    if (said !== undefined) return fillIn(said, { workerId: id })
  }
  return undefined
}

/** Two of one cause: blame counts before none, and what is surer before what is less so. */
const surer = (known: Found, each: Found): Found => {
  const kept = isBlaming(known) || !isBlaming(each) ? known : each
  const { instead: _of, ...proof } = joined(known.proof, each.proof)
  return { ...kept, proof: { ...proof, ...(kept.proof.instead !== undefined && { instead: kept.proof.instead }) } }
}

const isBlaming = ({ unwitnessed, proof }: Found): boolean => unwitnessed === undefined && proof.instead === undefined

const joined = (known: Proof, each: Proof): Proof => ({
  ...each,
  ...(known.since !== undefined && each.since !== undefined && { since: isAfter(known.since, each.since) ? each.since : known.since }),
  confidence: surest(known.confidence, each.confidence),
  because: positionsOf([...known.because, ...each.because]),
})

const surest = (left: Confidence, right: Confidence): Confidence =>
  confidences.indexOf(left) <= confidences.indexOf(right) ? left : right

/**
 * What comes first: the cause that explains the state, of the current attempt where there are several.
 * An end that nothing explains stands by itself; an open task is told by whatever was found.
 */
const leadOf = ({ analysis: { state, current } }: CaseFile, found: readonly Found[]): Found | undefined => {
  const explaining = found.filter(({ cause }) => cause.explains?.includes(state) === true)
  const lead = explaining.find(({ proof }) => proof.workerId === current?.workerId) ?? explaining[0]
  if (lead === undefined) return isTerminal(state) ? undefined : found[0]
  const before = found.find(({ cause, proof }) => lead.cause.givesWayTo?.includes(cause.cause) === true && proof.workerId === lead.proof.workerId)
  return before ?? lead
}

const findingOf = ({ cause, proof, responsible, owner, unwitnessed }: Found): Finding => ({
  cause: cause.cause,
  confidence: proof.confidence,
  responsible,
  ...(owner !== undefined && { owner }),
  ...(proof.child !== undefined && { correlationId: proof.child.correlationId }),
  ...(proof.child !== undefined && proof.child.via.length > 0 && { via: proof.child.via }),
  because: proof.because,
  ...(proof.since !== undefined && { since: { position: proof.since.position, time: rfc3339Of(proof.since.atMs) } }),
  nextAction: fillIn(proof.instead?.nextAction ?? cause.nextAction, proof),
  ...(unwitnessed !== undefined && { unwitnessed }),
})
