/**
 * One agent, killed with SIGKILL in one situation, started again and asked again: with one task over
 * each binding it offers. Everything that is sent and answered is reported to a ledger, as an
 * orchestrator would; nobody tells it of the restart. What the ledger concludes is read three times.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { recordEvent } from '../demo/ledger-witness.ts'
import { startWorker, type Worker } from '../workers/spawn.ts'
import type { WorkerSpec } from '../workers/worker-spec.ts'
import type { LiveAgent } from './agents.ts'
import { callOf, framesOf, make, type Answer, type Binding, type Operation, type Sent } from './calls.ts'
import { wireWords } from './wire-words.ts'

export const situations = ['working', 'input-required', 'completed'] as const
export type Situation = (typeof situations)[number]

export const bindings: readonly Binding[] = ['JSONRPC', 'HTTP+JSON']

export interface Instance {
  readonly ledgerUrl: string
  readonly reconcilerUrl: string
}

/** What the ledger concluded at one moment, in its own words. */
export interface Conclusion {
  readonly state: string
  readonly lastObserved?: string
  /** Of the attempt that was asked about. */
  readonly life: string
  readonly cause: string
  readonly verdict: string
}

export interface Row {
  readonly agent: LiveAgent
  readonly binding: Binding
  readonly situation: Situation
  /** What the wire said after the restart, by what was asked. */
  readonly said: Readonly<Record<Asked, string>>
  /** After weak evidence alone; after GetTask over the binding of the task; after the same message was sent again. */
  readonly concluded: { readonly weak: Conclusion; readonly strong: Conclusion; readonly again?: Conclusion }
}

/** `other` is GetTask over the other binding; `answer` a message that names the task, `again` the first one once more. */
export type Asked = Operation | 'other' | 'answer' | 'again'

/** Who takes over what is lost: it keeps its tasks, its card is trusted, and it is never called. */
export const standby = 'live-standby'

interface LiveTask {
  readonly binding: Binding
  readonly correlationId: string
  readonly first: Sent
  readonly taskId: string
  readonly contextId: string
  readonly said: Partial<Record<Asked, string>>
}

/** Time enough for any of these workers, on a machine that does other things as well. */
const patienceMs = 60_000
const pollMs = 50

export const killAndAsk = async (agent: LiveAgent, situation: Situation, instance: Instance): Promise<readonly Row[]> => {
  const workerId = `live-${agent.sdk}-${agent.protocol}-${situation}`
  const spec: WorkerSpec = {
    sdk: agent.sdk,
    protocol: agent.protocol,
    name: workerId,
    outputModes: ['application/json'],
    reachableStates: ['submitted', 'working', 'input-required', 'completed'],
    emits: 'application/json',
    ...(situation === 'input-required' && { asks: 'Which quarter?' }),
    ...(situation === 'working' && { workMs: 3_600_000 }),
  }
  const witness = createWitness(agent, workerId, instance.ledgerUrl)
  let worker = await startWorker(spec)
  try {
    await witness.card(worker)
    const tasks: LiveTask[] = []
    for (const binding of bindings) tasks.push(await begin({ worker, binding, situation, witness, workerId }))
    await worker.kill('SIGKILL')
    worker = await startWorker({ ...spec, port: worker.port })

    const ask = async (task: LiveTask, name: Asked, operation: Operation, binding: Binding, about: Sent | { readonly taskId: string }) => {
      const { answer } = await witness.call(worker, binding, operation, about, 'text' in about ? task.correlationId : undefined)
      task.said[name] = wireWords(answer)
    }
    for (const task of tasks) {
      const other = task.binding === 'JSONRPC' ? 'HTTP+JSON' : 'JSONRPC'
      await ask(task, 'other', 'GetTask', other, task)
      await ask(task, 'SubscribeToTask', 'SubscribeToTask', task.binding, task)
      await ask(task, 'CancelTask', 'CancelTask', task.binding, task)
    }
    const conclude = async (): Promise<readonly Conclusion[]> => {
      const read = () => Promise.all(tasks.map((task) => concluded(instance.reconcilerUrl, task, workerId, witness.head())))
      await read() // what one task says about its siblings is there once each of them is decided
      return read()
    }
    const weak = await conclude()
    for (const task of tasks) await ask(task, 'GetTask', 'GetTask', task.binding, task)
    const strong = await conclude()
    if (situation === 'completed') return tasks.map((task, index) => rowOf(agent, situation, task, { weak: weak[index], strong: strong[index] }))

    for (const task of tasks) {
      const { taskId, contextId, first } = task
      if (situation === 'input-required') await ask(task, 'answer', 'SendMessage', task.binding, { messageId: `${first.messageId}-answer`, text: 'The third.', taskId, contextId })
      const { answer } = await witness.call(worker, task.binding, 'SendMessage', first, task.correlationId)
      const { id } = taskIn(answer)
      task.said.again = id === taskId ? 'task, the same id' : 'task, a new id'
      await untilState({ worker, binding: task.binding, situation, witness }, id)
    }
    const again = await conclude()
    return tasks.map((task, index) => rowOf(agent, situation, task, { weak: weak[index], strong: strong[index], again: again[index] }))
  } finally {
    await worker.stop()
  }
}

const rowOf = (
  agent: LiveAgent,
  situation: Situation,
  { binding, said }: LiveTask,
  { weak, strong, again }: { readonly weak: Conclusion | undefined; readonly strong: Conclusion | undefined; readonly again?: Conclusion | undefined },
): Row => {
  if (weak === undefined || strong === undefined) throw new Error('a task without a conclusion')
  return { agent, binding, situation, said: said as Row['said'], concluded: { weak, strong, ...(again !== undefined && { again }) } }
}

type Witness = ReturnType<typeof createWitness>

/** Sends the message and asks until the task is in the situation. */
const begin = async (on: Begun & { readonly workerId: string }): Promise<LiveTask> => {
  const { worker, binding, witness, workerId } = on
  const correlationId = `${workerId}-${binding === 'JSONRPC' ? 'rpc' : 'rest'}`
  const first: Sent = { messageId: `${correlationId}-m`, text: 'Write the report.', isImmediate: true }
  const { answer: accepted } = await witness.call(worker, binding, 'SendMessage', first, correlationId)
  const { id: taskId, contextId } = taskIn(accepted)
  await untilState(on, taskId)
  return { binding, correlationId, first, taskId, contextId, said: {} }
}

interface Begun {
  readonly worker: Worker
  readonly binding: Binding
  readonly situation: Situation
  readonly witness: Witness
}

const untilState = async ({ worker, binding, situation, witness }: Begun, taskId: string): Promise<void> => {
  for (const until = Date.now() + patienceMs; ; ) {
    const { answer } = await witness.call(worker, binding, 'GetTask', { taskId })
    if (stateOf(taskIn(answer).state) === situation) return
    if (Date.now() > until) throw new Error(`task ${taskId} never came to ${situation}: ${answer.body}`)
    await delay(pollMs)
  }
}

/** Makes calls and reports both sides of each: bytes as they were. */
const createWitness = ({ protocol }: LiveAgent, workerId: string, ledgerUrl: string) => {
  let last = 0
  let streams = 0
  const record = async (attributes: Readonly<Record<string, string | undefined>> & { readonly type: string }, data: string): Promise<void> => {
    const source = 'urn:live:orchestrator'
    last = Math.max(last, await recordEvent(ledgerUrl, { source, workerid: workerId, protocolversion: protocol, ...attributes }, data))
  }
  return {
    /** The last position that was reported. */
    head: () => last,
    card: async (worker: Worker): Promise<void> => {
      const response = await fetch(worker.cardUrl, { headers: { 'a2a-version': protocol, connection: 'close' } })
      await record({ type: 'a2a.agent-card', operation: 'GetAgentCard', httpstatus: String(response.status) }, await response.text())
    },
    call: async (
      worker: Worker,
      binding: Binding,
      operation: Operation,
      about: Sent | { readonly taskId: string },
      correlationid?: string,
    ): Promise<{ readonly answer: Answer }> => {
      const call = callOf({ url: worker.url, protocol, binding }, operation, about)
      const attributes = { operation, binding, correlationid, taskid: about.taskId, messageid: 'text' in about ? about.messageId : undefined }
      if (call.request !== undefined) await record({ ...attributes, type: 'a2a.dispatch' }, call.request)
      const answer = await make(call)
      const httpstatus = String(answer.status)
      const frames = framesOf(answer)
      if (frames === undefined) await record({ ...attributes, type: 'a2a.response', httpstatus }, answer.body)
      else {
        streams += 1
        const stream = { ...attributes, httpstatus, streamid: `${workerId}-${streams}` }
        for (const [index, frame] of frames.entries()) await record({ ...stream, type: 'a2a.stream-response', sequence: String(index + 1) }, frame)
        await record({ ...stream, type: 'a2a.stream-ended', httpstatus: undefined }, JSON.stringify({ reason: answer.isCut ? 'reset' : 'closed' }))
      }
      return { answer }
    },
  }
}

const taskIn = ({ body }: Answer): { readonly id: string; readonly contextId: string; readonly state: string } => {
  interface Task { readonly id?: string; readonly contextId?: string; readonly status?: { readonly state?: string } }
  const parsed = JSON.parse(body) as { result?: Task & { task?: Task }; task?: Task } & Task
  const { id, contextId, status } = parsed.result?.task ?? parsed.result ?? parsed.task ?? parsed
  if (id === undefined) throw new Error(`no task in ${body}`)
  return { id, contextId: contextId ?? '', state: status?.state ?? '' }
}

const stateOf = (onWire: string): string => onWire.replace(/^TASK_STATE_/u, '').toLowerCase().replaceAll('_', '-')

interface View {
  readonly state: string
  readonly lastObserved?: string
  readonly attempts: readonly { readonly taskId: string; readonly life: string }[]
  readonly verdict?: { readonly kind: string; readonly workerId?: string; readonly duplicateRisk?: string; readonly position?: number; readonly basis?: string }
}

/** Read once everything that was reported is applied and whatever has to be decided is decided. */
const concluded = async (reconcilerUrl: string, { correlationId, taskId }: LiveTask, workerId: string, head: number): Promise<Conclusion> => {
  const url = `${reconcilerUrl}/v1/tasks/${encodeURIComponent(correlationId)}`
  for (const until = Date.now() + patienceMs; ; ) {
    const response = await fetch(`${url}?atLeast=${head}&timeoutMs=30000`)
    const view = (await response.json()) as View
    const isSettled = response.status === 200 && (view.state !== 'indeterminate' || view.verdict?.position !== undefined)
    if (!isSettled) {
      if (Date.now() > until) throw new Error(`nothing was decided on ${correlationId}: ${JSON.stringify(view)}`)
      await delay(pollMs)
      continue
    }
    const rootCause = (await (await fetch(`${url}/root-cause`)).json()) as { readonly findings: readonly { readonly cause: string; readonly confidence: string; readonly responsible: string }[] }
    const { state, lastObserved, verdict } = view
    const life = view.attempts.find((attempt) => attempt.taskId === taskId)?.life ?? `no attempt at ${workerId}`
    return {
      state,
      ...(lastObserved !== undefined && { lastObserved }),
      life,
      cause: rootCause.findings.map(({ cause, confidence, responsible }) => `${cause} (${confidence}, ${responsible})`).join(', ') || 'none',
      verdict:
        verdict === undefined
          ? 'none'
          : [verdict.kind, verdict.workerId === undefined ? '' : `to ${verdict.workerId}`, verdict.basis ?? ''].filter((word) => word !== '').join(' '),
    }
  }
}
