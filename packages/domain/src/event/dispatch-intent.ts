/** Data of `reconciler.dispatch-intent`: somebody is about to send, and nobody else may (V8). */
import { z } from 'zod'

/** Who acts on a decision: who asked for it, whom an approver sent, or the ledger by itself. */
export const actors = ['caller', 'approver', 'ledger'] as const

export type Actor = (typeof actors)[number]

/** What a send is for: to obey a recorded `redispatch`, or anything else that asked before it was sent. */
export const intentPurposes = ['redispatch', 'send'] as const

/** One schema writes and reads the recorded intent. */
export const dispatchIntentDataSchema = z.object({
  /** The decision that is obeyed; of a `send` the permission itself. */
  decisionId: z.string().min(1),
  purpose: z.enum(intentPurposes),
  /** Which try at this decision it is, from 0: settled as not sent, or lapsed, it may be tried again. */
  n: z.int().min(0),
  /** Who holds it, in its own words. */
  by: z.string().optional(),
  actor: z.enum(actors),
  workerId: z.string().min(1),
  messageId: z.string().min(1),
  contentDigest: z.string().optional(),
  /** Of what the ledger itself sends: the mesh that allows it. */
  mesh: z.string().optional(),
  /** From the moment of recording, by the ledger's clock. */
  ttlMs: z.int().min(1),
})

export type DispatchIntentData = z.infer<typeof dispatchIntentDataSchema>
