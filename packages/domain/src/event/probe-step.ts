/**
 * Data of `reconciler.probe-step`: one moment of one probe (V3, contract §4).
 *
 * A probe is planned once; each of its steps is begun, then ended, and at last the probe is closed. A
 * step is begun in the ledger before anything of it leaves this deployment: so what a crash left open
 * is known, and of several processes only the one whose beginning was recorded acts.
 */
import { z } from 'zod'
import { observableStates } from '../task/state.ts'

/** The steps in their order; what sends a message is never done a second time after a crash. */
export const probeSteps = {
  card: { sends: false, says: 'The agent card is fetched: what is promised, and where the worker is.' },
  'unknown-task': { sends: false, says: 'A task id that was never given is asked for; an honest worker says TaskNotFound.' },
  send: { sends: true, says: 'The canary is sent: a message of its own, marked in its metadata.' },
  rest: { sends: false, says: 'Its task is asked for until it waits for input or has ended.' },
  'fresh-client': { sends: false, says: 'A client with connections of its own, which believes in an older state, asks for it.' },
  'other-binding': { sends: false, says: 'It is asked for over another binding of the card.' },
  subscribe: { sends: false, says: 'It is subscribed to; what comes first has to be what it is now.' },
  'same-message': { sends: true, says: 'The very same message is sent once more: one task, or two.' },
  answer: { sends: true, says: 'The question is answered.' },
  end: { sends: false, says: 'The task is asked for until it has ended.' },
  push: { sends: false, says: 'A push about the canary has come to the address that was configured.' },
  retention: { sends: false, says: 'The ended task is asked for again, for as long as the plan says.' },
  park: { sends: true, says: 'A second canary is sent, to be left alone.' },
  parked: { sends: false, says: 'It is asked for until it waits; then it is left until a restart is known.' },
  'after-restart': { sends: false, says: 'After the restart every task of the probe is asked for again.' },
  'clean-up': { sends: false, says: 'What is still open is canceled.' },
} as const satisfies Record<string, { readonly sends: boolean; readonly says: string }>

export type ProbeStepName = keyof typeof probeSteps

/** In the order in which they are done. */
export const probeStepNames = Object.keys(probeSteps) as readonly ProbeStepName[]

const id = z.string().min(1).max(1024)
const state = z.enum(observableStates)
const states = z.array(state).max(observableStates.length)
const mediaTypes = z.array(z.string().max(256)).max(50)
const count = z.int().min(0)

/** What is to be done, and within which bounds. Times in milliseconds, sizes in bytes. */
export const probePlanSchema = z.object({
  /** The text of the canary; absent: what the card declares, else ours. */
  message: z.string().max(10_000).optional(),
  /** A second canary waits until a restart is known. */
  park: z.boolean(),
  /** For how long a parked canary waits. */
  parkMsMax: count,
  /** For how long an ended task is asked for. */
  retentionMs: count,
  callsMax: count,
  bytesMax: count,
  /** For one step. */
  stepMsMax: count,
  /** For all steps together, without the time it is parked. */
  totalMsMax: count,
})

export type ProbePlan = z.infer<typeof probePlanSchema>

const target = z.object({
  url: z.string().max(2048),
  binding: z.enum(['JSONRPC', 'HTTP+JSON']),
  protocolVersion: z.enum(['0.3', '1.0']),
  tenant: z.string().max(1024).optional(),
})

/** One way to call the worker, of those in its card. */
export type ProbeTarget = z.infer<typeof target>

const task = z.object({ taskId: id, contextId: id.optional(), state: state.optional() })

/** What was measured of a worker: does it, does it not, or how long. */
export const probeMeasuresSchema = z.object({
  survivesRestart: z.boolean(),
  idempotentMessageId: z.boolean(),
  notFoundHonest: z.boolean(),
  streamReplay: z.boolean(),
  pushArrives: z.boolean(),
  retentionSeconds: z.number().min(0),
  bindingParity: z.boolean(),
})

export type ProbeMeasures = z.infer<typeof probeMeasuresSchema>

/** What one step taught: about the worker, and where its canaries are. */
export const probeLearnedSchema = z.object({
  card: z
    .object({
      /** SHA-256 of what matters in it (V3); 64 hex digits. */
      digest: z.string(),
      name: z.string().max(256).optional(),
      /** The first one is used, the others are for parity. */
      targets: z.array(target).max(8),
      isStreaming: z.boolean(),
      isPushing: z.boolean(),
      states,
      /** Absent: the card declares none, so every state of its version may come. */
      declaresStates: z.literal(true).optional(),
      mediaTypes,
      canaryMessage: z.string().max(10_000).optional(),
      canaryModes: mediaTypes.optional(),
    })
    .optional(),
  /** The task of the canary, that of its second sending, and the one that is left alone. */
  tasks: z.partialRecord(z.enum(['canary', 'again', 'parked']), task).optional(),
  /** A message was the whole answer: there is no task to ask for. */
  isMessage: z.literal(true).optional(),
  /** States it was seen in and, where that can be asked, found in again. */
  states: states.optional(),
  /** States that it said it was in and was not found in. */
  refutedStates: states.optional(),
  /** States in which a task was found again, or not found again, after a restart. */
  durableStates: states.optional(),
  lostStates: states.optional(),
  /** Emitted inside of what was negotiated, and outside. */
  mediaTypes: mediaTypes.optional(),
  strayMediaTypes: mediaTypes.optional(),
  measured: probeMeasuresSchema.partial().optional(),
})

export type ProbeLearned = z.infer<typeof probeLearnedSchema>

const stepName = z.enum(probeStepNames as [ProbeStepName, ...ProbeStepName[]])
const attempt = z.int().min(1).max(100)

/** One schema writes and reads the recorded event. */
export const probeStepDataSchema = z.discriminatedUnion('phase', [
  z.object({ phase: z.literal('planned'), probeId: id, plan: probePlanSchema }),
  z.object({
    phase: z.literal('begun'),
    probeId: id,
    step: stepName,
    attempt,
    /** Who does it; another process takes over after `untilMs` at the earliest. */
    owner: z.string().max(100),
    untilMs: count,
  }),
  z.object({
    phase: z.literal('ended'),
    probeId: id,
    step: stepName,
    attempt,
    outcome: z.enum(['ok', 'failed', 'skipped']),
    detail: z.string().max(1_000).optional(),
    /** Who did it is gone, and what came of its message is not known. */
    isInterrupted: z.literal(true).optional(),
    learned: probeLearnedSchema.optional(),
    /** What mattered in the card of the probe; absent until it is read. */
    cardDigest: z.string().optional(),
    calls: count,
    bytes: count,
  }),
  z.object({ phase: z.literal('closed'), probeId: id, state: z.enum(['done', 'abandoned']), because: z.string().max(1_000).optional() }),
])

export type ProbeStepData = z.infer<typeof probeStepDataSchema>
