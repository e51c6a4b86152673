/** The root cause of where one logical task stands: findings, and one sentence that says it plainly. */
import { policyOf } from '../capability/knowledge.ts'
import type { TaskAnalysis } from '../task/analysis.ts'
import { isTerminal } from '../task/state.ts'
import { openCase, type CaseFile, type ServerTask } from './case-file.ts'
import { positionsOf, type LossCause } from './cause.ts'
import { confidences, type CauseText, type Confidence, type Proof, type Finding, type RootCause } from './finding.ts'
import { lossCauses, otherCauses } from './precedence.ts'
import { summarise, type Found } from './summary.ts'
import { fillIn } from './wording.ts'

const findingsMax = 100

/**
 * Explains one logical task.
 *
 * Pure, never throws; linear in the facts of the task for each cause. One finding per cause and
 * worker, the cause that explains the state of the task first, then in the order of the tables in
 * `precedence.ts`.
 * Source: contract §4 and §7.
 */
export const explainTask = (analysis: TaskAnalysis): RootCause => {
  const file = openCase(analysis)
  const found = [...lossesOf(file), ...otherCauses.flatMap((cause) => perWorker(cause, cause.find(file)))]
  const lead = leadOf(file, found)
  const ordered = lead === undefined ? found : [lead, ...found.filter((other) => other !== lead)]
  return {
    summary: summarise(file, ordered, lead),
    findings: ordered.slice(0, findingsMax).map((each) => findingOf(each, file)),
  }
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
  return lossCauses.flatMap((cause) => perWorker(cause, proofs.get(cause) ?? []))
}

const leadingLossOf = (task: ServerTask, file: CaseFile): readonly [LossCause, Proof] | undefined => {
  for (const cause of lossCauses) {
    const found = cause.isWithoutLoss || task.attempt?.life === 'lost' ? cause.find(task, file) : undefined
    if (found !== undefined) return [cause, found]
  }
  return undefined
}

/** One finding a worker, with the positions of all its proofs and the surest confidence. */
const perWorker = (cause: CauseText, proofs: readonly Proof[]): readonly Found[] => {
  const found = new Map<string | undefined, Proof>()
  for (const each of proofs) {
    const known = found.get(each.workerId)
    found.set(each.workerId, known === undefined ? each : joined(known, each))
  }
  return [...found.values()].map((each) => ({ cause, proof: each }))
}

const joined = (known: Proof, each: Proof): Proof => ({
  ...each,
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
  return explaining.find(({ proof }) => proof.workerId === current?.workerId) ?? explaining[0] ?? (isTerminal(state) ? undefined : found[0])
}

const findingOf = ({ cause, proof }: Found, file: CaseFile): Finding => {
  const owner =
    cause.responsible === 'worker' && proof.workerId !== undefined
      ? policyOf(file.workerOf({ workerId: proof.workerId })).owner
      : undefined
  return {
    cause: cause.cause,
    confidence: proof.confidence,
    responsible: cause.responsible,
    ...(owner !== undefined && { owner }),
    because: proof.because,
    nextAction: fillIn(cause.nextAction, proof),
  }
}
