/**
 * The incident of the project's founding report, as one story with two endings: two orchestrators
 * send the same order to the same worker, and every process is killed for both of them at once.
 *
 * 1. W1 takes the order, works, emits a JSON draft, asks for input.
 * 2. Both orchestrators and W1 are killed with SIGKILL; the orchestrators had not yet written down
 *    that W1 asks for input. W1 comes back with an empty store and emits text from now on.
 * 3. Both orchestrators come back and ask for their task: TaskNotFound. Here the endings part.
 * 4. Both retry at W1: a new task id, a text draft.
 * 5. W1 is killed again; the client's answer arrives and has nowhere to go. The naive one is
 *    through by then; the other one asks the ledger, waits as long as it says, and sends the order
 *    to W3 under the same correlation ID.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { ensurePython } from '../workers/python.ts'
import { startWorker, type Worker } from '../workers/spawn.ts'
import type { WorkerSpec } from '../workers/worker-spec.ts'
import { recordEvent } from './ledger-witness.ts'
import type { NaiveNotes } from './notes.ts'
import { callJson, type RootCause, type TaskView, type Timeline, type Verdict } from './reconciler-client.ts'
import { startStepProcess, type StepProcess } from './step-process.ts'

export type IncidentOptions = {
  readonly ledgerUrl: string
  readonly reconcilerUrl: string
  /** Told each thing that happens, as one sentence. */
  readonly say: (sentence: string) => void
  /** Mesh and prefix of the worker ids; stories on one instance that must not meet differ in it. */
  readonly mesh?: string
}
export type IncidentOutcome = {
  /** Why a worker of the story is absent and how to get it; absent when all took part. */
  readonly missingWorker?: string
  readonly workers: { readonly w1: string; readonly w2: string; readonly w3: string }
  readonly naive: NaiveNotes
  readonly ledger: {
    readonly correlationId: string
    /** What the orchestrator heard when it asked about the first lost task, in its second life. */
    readonly firstAnswer: Verdict
    readonly verdict: Verdict
    readonly atVerdict: LedgerSnapshot
    readonly atEnd: LedgerSnapshot & { readonly timeline: Timeline }
  }
}
export type LedgerSnapshot = { readonly view: TaskView; readonly rootCause: RootCause }

const asks = 'Which quarter?'
const clientAnswer = 'The third one.'
const text = 'Write the quarterly report.'
const w1Spec: WorkerSpec = {
  sdk: 'js',
  name: 'w1',
  outputModes: ['application/json'],
  reachableStates: ['working', 'input-required', 'completed'],
  asks,
  emits: 'application/json',
}
const w1Reloaded = { ...w1Spec, emits: 'text/plain' }
const w2Spec: WorkerSpec = {
  sdk: 'python',
  name: 'w2',
  outputModes: ['text/plain'],
  reachableStates: ['completed'],
  emits: 'text/plain',
}
const w3Spec: WorkerSpec = { ...w1Spec, name: 'w3', bindings: ['HTTP+JSON', 'JSONRPC'] }

/**
 * Plays the incident against a running ledger and reconciler and returns what both orchestrators
 * ended with. Every process it starts is gone when it returns or throws.
 *
 * Without Python the story goes on without W2, and says so: W2 is the worker that is not chosen.
 */
export async function runIncident(options: IncidentOptions): Promise<IncidentOutcome> {
  await using story = await openStory(options)
  const { say } = options
  const { workers } = story

  const python = await ensurePython()
  if (python.status === 'missing') say(python.because)
  await story.startWorkers(python.status === 'ready')
  say('W1 (JavaScript SDK) promises a JSON report and may ask for input.')
  if (python.status === 'ready') say('W2 (Python SDK) promises plain text and never asks.')
  say('W3 (JavaScript SDK) promises what W1 does; its operator trusts its card.\n')

  let naive = story.startNaive()
  let careful = story.startCareful()
  const naiveTask = await naive.until('asked')
  const carefulTask = await careful.until('asked')
  say(`Two orchestrators sent W1 the same order. W1 asks both: "${asks}"`)
  say(`  the naive one waits on task ${naiveTask.taskId}`)
  say(`  the one with the ledger on task ${carefulTask.taskId}`)

  await Promise.all([naive.kill('SIGKILL'), careful.kill('SIGKILL')])
  say(`SIGKILL to both orchestrators (pids ${naive.pid}, ${careful.pid}): the question is not in their notes yet.`)
  await story.restartW1(w1Reloaded)
  say('SIGKILL to W1. It is back on its port: no tasks, same card, but it emits text now.')

  naive = story.startNaive()
  careful = story.startCareful()
  await naive.until('concluded')
  const firstAnswer = expectVerdict(await careful.until('looked'))
  say('Both orchestrators are back and ask W1 for their task: TaskNotFound (-32001).')
  say(`  naive: "failed". Ledger: "${firstAnswer.state}", what to do: ${firstAnswer.kind}.`)

  naive.order({ retry: true })
  careful.order({ retry: true })
  const { notes } = await naive.until('store')
  const retried = await careful.until('retried')
  say(`Both send the order to W1 again: new task ids, and drafts in ${retried.mediaTypes.join()}.`)

  await story.restartW1(w1Reloaded)
  say('SIGKILL to W1 again, while it waits. Now the client answers the question.')
  careful.order({ answer: clientAnswer })
  const decided = await careful.until('verdict', (step) => {
    if (step.step === 'waiting') {
      say(`  TaskNotFound again; the ledger says: look again in ${step.retryAfterMs} ms.`)
    }
  })
  const verdict = expectVerdict(decided)
  say(`  the ledger's verdict: ${verdict.kind} to ${verdict.workerId ?? 'nobody'}.`)
  const atVerdict = await story.snapshot()

  careful.order({ go: true })
  const done = await careful.until('done')
  say(`  sent there under the same correlation ID, and the answer passed on: ${done.state}.`)
  const atEnd = { ...(await story.snapshot()), timeline: await story.timeline() }

  return {
    ...(python.status === 'missing' && { missingWorker: python.because }),
    workers,
    naive: notes,
    ledger: { correlationId: story.correlationId, firstAnswer, verdict, atVerdict, atEnd },
  }
}

function expectVerdict({ verdict }: { verdict: Verdict | undefined }): Verdict {
  if (verdict === undefined) throw new Error('W1 still knew the task it should have forgotten.')
  return verdict
}

/** Everything of one run that has to be started, enrolled, asked, and ended. */
async function openStory({ ledgerUrl, reconcilerUrl, mesh = 'demo' }: IncidentOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-ledger-incident-'))
  const ids = { w1: `${mesh}-w1`, w2: `${mesh}-w2`, w3: `${mesh}-w3` }
  const runId = crypto.randomUUID().slice(0, 8)
  const correlationId = `${mesh}-order-${runId}`
  const messageId = `${mesh}-message-${runId}`
  const running = new Map<string, Worker>()
  const orchestrators: StepProcess[] = []

  const start = async (workerId: string, spec: WorkerSpec) => {
    running.set(workerId, await startWorker(spec))
  }
  const enrol = (workerId: string, policy: object) =>
    callJson('PUT', `${reconcilerUrl}/v1/workers/${workerId}`, { mesh, ...policy })
  const addressOf = (workerId: string) => ({ workerId, url: running.get(workerId)!.url })
  const startOrchestrator = (script: URL, config: object) => {
    const process = startStepProcess(fileURLToPath(script), config)
    orchestrators.push(process)
    return process
  }
  const read = <Answer>(path: string) =>
    callJson<Answer>('GET', `${reconcilerUrl}/v1/tasks/${correlationId}${path}`)

  return {
    workers: ids,
    correlationId,
    async startWorkers(withPython: boolean) {
      await start(ids.w1, w1Spec)
      await start(ids.w3, w3Spec)
      await enrol(ids.w1, { trust: 'verify', replicas: 1 })
      await enrol(ids.w3, { trust: 'card', replicas: 1 })
      if (!withPython) return
      await start(ids.w2, w2Spec)
      await enrol(ids.w2, { trust: 'verify', replicas: 1 })
    },
    /** Kills W1, starts it on the same port, and reports it as the platform would. */
    async restartW1(spec: WorkerSpec) {
      const { port, kill } = running.get(ids.w1)!
      await kill('SIGKILL')
      await start(ids.w1, { ...spec, port })
      const source = 'urn:a2a-ledger:demo:platform'
      const restarted = { type: 'a2a.worker-restarted', source, workerid: ids.w1 }
      await recordEvent(ledgerUrl, restarted, JSON.stringify({ reason: 'killed, started again' }))
    },
    startNaive: () =>
      startOrchestrator(new URL('./naive-orchestrator.ts', import.meta.url), {
        notesFile: join(folder, 'naive.json'),
        order: { messageId: `${messageId}-naive`, text },
        worker: addressOf(ids.w1),
        ...(running.has(ids.w2) && { fallback: addressOf(ids.w2) }),
      }),
    startCareful: () =>
      startOrchestrator(new URL('./orchestrator.ts', import.meta.url), {
        notesFile: join(folder, 'careful.json'),
        ledgerUrl, reconcilerUrl, correlationId, messageId, text,
        workers: [...running.keys()].map(addressOf),
      }),
    /** Waits until everything recorded about the task is applied, so that nothing is half told. */
    async snapshot(): Promise<LedgerSnapshot> {
      const { events } = await callJson<{ events: { position: number }[] }>(
        'GET', `${ledgerUrl}/v1/events?limit=1000&correlationId=${correlationId}`,
      )
      const view = await read<TaskView>(`?atLeast=${events.at(-1)!.position}&timeoutMs=60000`)
      return { view, rootCause: await read<RootCause>('/root-cause') }
    },
    timeline: () => read<Timeline>('/timeline'),
    async [Symbol.asyncDispose]() {
      await Promise.all(orchestrators.map((process) => process.kill('SIGKILL')))
      await Promise.all([...running.values()].map((worker) => worker.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
