/** Data of `reconciler.verdict`: one decision, with what it was based on (V4–V8). */
import { z } from 'zod'
import { observableStates } from '../task/state.ts'
import { actors } from './dispatch-intent.ts'

const position = z.int().min(1)

/** One schema writes and reads the recorded verdict; lists hold at most 100 entries. */
export const verdictDataSchema = z.object({
  decisionId: z.string(),
  kind: z.enum(['closed-by-policy', 'redispatch', 'unreconcilable']),
  state: z.literal('indeterminate'),
  lastObserved: z.enum(observableStates).optional(),
  workerId: z.string().optional(),
  because: z.array(position).max(100),
  considered: z
    .array(
      z.object({
        workerId: z.string(),
        eligible: z.boolean(),
        because: z
          .enum(['lost_it', 'refused_it', 'skill_differs', 'state_not_verified', 'mode_not_verified', 'unreachable', 'no_address', 'not_called'])
          .optional(),
      }),
    )
    .max(100),
  /** Full lengths of the lists that are cut. */
  counts: z.record(z.string(), z.int()).optional(),
  duplicateRisk: z.enum(['none', 'possible', 'likely']),
  /** Who is to act on a `redispatch`, by the mode in force when it was decided; absent: its caller. */
  actor: z.enum(actors).optional(),
  /** The mesh of the worker that was asked about, as of the decision; verdicts before there were modes lack it. */
  mesh: z.string().optional(),
  /** The decision that it takes the place of, whose worker the ledger cannot call. */
  insteadOf: z.string().optional(),
  question: z.object({ workerId: z.string(), taskId: z.string().optional(), openedAt: position }),
})

export type VerdictData = z.infer<typeof verdictDataSchema>
