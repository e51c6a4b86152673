/** Data of `reconciler.dispatch-settled`: what became of an intent, by who held it. */
import { z } from 'zod'

export const settledOutcomes = ['sent', 'not-sent'] as const

export type SettledOutcome = (typeof settledOutcomes)[number]

/** One schema writes and reads the recorded outcome. */
export const dispatchSettledDataSchema = z.object({
  decisionId: z.string().min(1),
  intentId: z.string().min(1),
  outcome: z.enum(settledOutcomes),
  /** The server task that answered, where who sent knows it. */
  taskId: z.string().min(1).optional(),
  /** Of what the ledger did not send since its own rules refused the call: why, in words. */
  because: z.string().min(1).optional(),
})

export type DispatchSettledData = z.infer<typeof dispatchSettledDataSchema>
