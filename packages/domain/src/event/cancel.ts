/** Data of `reconciler.cancel`: an attempt that lost against another one is canceled at its worker, once (ADR 97). */
import { z } from 'zod'

/** What came of the call: it ended, it goes on, nobody answered, or nothing left this deployment. */
export const cancelOutcomes = ['canceled', 'refused', 'unanswered', 'not-sent'] as const

export type CancelOutcome = (typeof cancelOutcomes)[number]

const id = z.string().min(1)

/** One schema writes and reads the recorded event: `intended` before the call, `settled` after it. */
export const cancelDataSchema = z.discriminatedUnion('phase', [
  z.object({
    phase: z.literal('intended'),
    workerId: id,
    taskId: id,
    /** The re-dispatch that made two of them. */
    decisionId: id,
    /** Whose outcome counts; without a task: a message that was the whole answer. */
    winner: z.object({ workerId: id, taskId: id.optional() }),
    /** From the moment of recording, by the ledger's clock: then nobody knows whether the call was made. */
    ttlMs: z.int().min(1),
  }),
  z.object({
    phase: z.literal('settled'),
    cancelId: id,
    outcome: z.enum(cancelOutcomes),
    /** Our own rules refused the call: why, in words. */
    because: z.string().min(1).optional(),
  }),
])

export type CancelData = z.infer<typeof cancelDataSchema>
