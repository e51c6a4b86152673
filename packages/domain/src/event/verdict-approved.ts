/** Data of `reconciler.verdict-approved`: what a person said to a recorded `redispatch` (V8). */
import { z } from 'zod'

export const approvalAnswers = ['approved', 'declined'] as const

export type ApprovalAnswer = (typeof approvalAnswers)[number]

/** One schema writes and reads it. */
export const verdictApprovedDataSchema = z.object({
  decisionId: z.string().min(1),
  answer: z.enum(approvalAnswers),
  by: z.string().min(1),
  because: z.string().optional(),
})

export type VerdictApprovedData = z.infer<typeof verdictApprovedDataSchema>
