/**
 * Does one probe, from wherever its record stands, until it is closed or parked or somebody else has it.
 *
 * One moment after the other is appended: a step is begun before anything of it leaves, ended when it is
 * over. A process that dies in between leaves that to be seen, and whoever comes next goes on from there
 * (`next-move.ts`). The append decides between processes: who finds a moment recorded already stops.
 */
import { probeRecordOf, type ProbeEntry, type ProbePlan, type ProbeRecord, type ProbeStepData, type ProbeStepName } from '@a2a-ledger/domain'
import { nextMove, type NextMove, type RestartWord } from './next-move.ts'
import type { ProbePorts } from './ports.ts'
import type { Step, StepContext, StepResult } from './step.ts'
import { askAfterRestart, askElsewhere, askFresh } from './steps/ask-again.ts'
import { awaitEnd, awaitParked, awaitRest } from './steps/await-rest.ts'
import { cancelWhatIsOpen } from './steps/clean-up.ts'
import { awaitPush } from './steps/push.ts'
import { readCard } from './steps/read-card.ts'
import { askForRetention } from './steps/retention.ts'
import { sendAgain, sendAnswer, sendCanary, sendParked } from './steps/send.ts'
import { subscribeAgain } from './steps/subscribe.ts'
import { unknownTask } from './steps/unknown-task.ts'
import { cardUrlsOf, headersFor, type ProbeSubject } from './subject.ts'
import { createWorkerClient, type Counter, type WorkerClient } from './worker-client.ts'

export interface ProbeJob {
  readonly probeId: string
  readonly subject: ProbeSubject
  /** Of a new probe; of a recorded one its own plan counts. */
  readonly plan: ProbePlan
  /** What is recorded of it so far. */
  readonly entries: readonly ProbeEntry[]
  /** Told anew before each step. */
  readonly restart: () => RestartWord
  /** This process, as other ones see it. */
  readonly owner: string
  /** Called after each moment. */
  readonly onProgress?: (record: ProbeRecord, moment: ProbeStepData) => void
}

export interface RunOutcome {
  readonly outcome: 'closed' | 'parked' | 'taken' | 'stopped'
  /** Where it stands; absent when another process planned it. */
  readonly record: ProbeRecord | undefined
}

const steps: Readonly<Record<ProbeStepName, Step>> = {
  card: readCard,
  'unknown-task': unknownTask,
  send: sendCanary,
  rest: awaitRest,
  'fresh-client': askFresh,
  'other-binding': askElsewhere,
  subscribe: subscribeAgain,
  'same-message': sendAgain,
  answer: sendAnswer,
  end: awaitEnd,
  push: awaitPush,
  retention: askForRetention,
  park: sendParked,
  parked: awaitParked,
  'after-restart': askAfterRestart,
  'clean-up': cancelWhatIsOpen,
}

/** Beyond what a step may take, before another process takes it for dead. */
const leaseSlackMs = 5_000

export async function runProbe(job: ProbeJob, ports: ProbePorts, stopping: AbortSignal): Promise<RunOutcome> {
  const { probeId } = job
  const entries = [...job.entries]
  const append = async (data: ProbeStepData): Promise<boolean> => {
    const recorded = await ports.append(data)
    if (recorded === undefined) return false
    entries.push({ ...recorded, data })
    const record = probeRecordOf(entries)
    if (record !== undefined) job.onProgress?.(record, data)
    return true
  }
  if (probeRecordOf(entries) === undefined && !(await append({ phase: 'planned', probeId, plan: job.plan }))) {
    return { outcome: 'taken', record: undefined }
  }
  for (;;) {
    const record = probeRecordOf(entries)
    if (record === undefined) throw new Error(`probe ${probeId} has no plan`)
    if (stopping.aborted) return { outcome: 'stopped', record }
    const situation = { nowMs: ports.nowMs(), restart: job.restart(), hasPushReceiver: ports.push !== undefined }
    const move = nextMove(record, situation)
    if (move.kind === 'over') return { outcome: 'closed', record }
    if (move.kind === 'park') return { outcome: 'parked', record }
    if (move.kind === 'wait') return { outcome: 'taken', record }
    const made = await make(move, record, { job, ports, append, stopping })
    if (made !== 'recorded') return { outcome: made, record: probeRecordOf(entries) }
  }
}

interface Making {
  readonly job: ProbeJob
  readonly ports: ProbePorts
  readonly append: (data: ProbeStepData) => Promise<boolean>
  readonly stopping: AbortSignal
}

async function make(
  move: Exclude<NextMove, { kind: 'over' | 'park' | 'wait' }>,
  record: ProbeRecord,
  making: Making,
): Promise<'recorded' | 'taken' | 'stopped'> {
  const { job, ports, append, stopping } = making
  const { probeId } = record
  if (move.kind === 'close') {
    const { state, because } = move
    return word(await append({ phase: 'closed', probeId, state, ...(because !== undefined && { because: because.slice(0, 1_000) }) }))
  }
  const none = { calls: 0, bytes: 0 }
  if (move.kind === 'skip') {
    return word(await append({ phase: 'ended', probeId, step: move.step, attempt: 1, outcome: 'skipped', detail: move.because, ...none }))
  }
  const { step, attempt } = move
  if (move.kind === 'give-up') {
    const detail = 'whoever did this step is gone; what came of it is not known'
    return word(await append({ phase: 'ended', probeId, step, attempt, outcome: 'failed', detail, isInterrupted: true, ...none }))
  }
  const mayTakeMs = step === 'retention' ? record.plan.stepMsMax + record.plan.retentionMs : record.plan.stepMsMax
  const untilMs = ports.nowMs() + mayTakeMs + leaseSlackMs
  if (!(await append({ phase: 'begun', probeId, step, attempt, owner: job.owner, untilMs }))) return 'taken'
  const counter: Counter = { calls: 0, bytes: 0 }
  const { outcome, detail, learned } = await doStep(step, { record, job, ports, counter, signal: AbortSignal.any([stopping, AbortSignal.timeout(mayTakeMs)]) })
  const cardDigest = (learned?.card ?? record.learned.card)?.digest
  // Told to stop in the middle of it: it is left open, as if this process had died.
  if (stopping.aborted) return 'stopped'
  return word(
    await append({
      phase: 'ended',
      probeId,
      step,
      attempt,
      outcome,
      ...(detail !== undefined && { detail: detail.slice(0, 1_000) }),
      ...(learned !== undefined && { learned }),
      ...(cardDigest !== undefined && { cardDigest }),
      ...counter,
    }),
  )
}

const word = (isRecorded: boolean): 'recorded' | 'taken' => (isRecorded ? 'recorded' : 'taken')

interface Doing {
  readonly record: ProbeRecord
  readonly job: ProbeJob
  readonly ports: ProbePorts
  readonly counter: Counter
  readonly signal: AbortSignal
}

async function doStep(name: ProbeStepName, { record, job, ports, counter, signal }: Doing): Promise<StepResult> {
  const opened: WorkerClient[] = []
  const headers = headersFor(job.subject)
  const open = (): WorkerClient => {
    const client = createWorkerClient({ client: ports.openClient(), witness: ports.witness, counter, headers })
    opened.push(client)
    return client
  }
  const client = open()
  const context: StepContext = {
    record,
    ports,
    cardUrls: cardUrlsOf(job.subject.cardUrl),
    target: () => {
      const [target] = record.learned.card?.targets ?? []
      if (target === undefined) throw new Error(`step ${name} of probe ${record.probeId} has no card`)
      return target
    },
    client,
    freshClient: open,
    fetchCard: (url) => client.fetchCard(url, signal),
    signal,
  }
  try {
    return await steps[name](context)
  } finally {
    await Promise.all(opened.map((each) => each.close()))
  }
}
