/** Data of `reconciler.mesh-policy` (contract §4): what its operator decided for one mesh. */
import { z } from 'zod'
import { correlationRuleSchema, type CorrelationRule } from '../correlation/rule.ts'

/** The mesh of a worker that no enrolment placed. */
export const defaultMesh = 'default'

/** A mesh by its name. */
export const meshNameSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((mesh) => !/[\p{Cc}\p{Surrogate}]/u.test(mesh), 'has control characters')

/** One schema validates the request and reads the recorded event. Members left out keep their value. */
export const meshPolicySchema = z.object({
  /** Who acts on a `redispatch`: nobody but the caller, an approver, or the ledger itself (V8). */
  redispatch: z.enum(['advise', 'approve', 'auto']).optional(),
  /** Sends of one logical task that are repeated at most. */
  attemptsMax: z.int().min(1).max(100).optional(),
  /** Re-dispatches in the whole mesh. */
  ratePerMinute: z.int().min(1).max(10_000).optional(),
  /** In order; the first that finds a usable value gives the correlation ID. `[]`: no rules. */
  correlation: z.array(correlationRuleSchema).max(20).optional(),
})

export type MeshPolicy = z.infer<typeof meshPolicySchema>

/** What is recorded: the policy, and whose it is. */
export const meshPolicyDataSchema = meshPolicySchema.extend({ mesh: meshNameSchema })

export type MeshPolicyData = z.infer<typeof meshPolicyDataSchema>

/** The policy in force: what was recorded last of each member. */
export interface MeshView {
  readonly mesh: string
  readonly redispatch: 'advise' | 'approve' | 'auto'
  readonly attemptsMax?: number
  readonly ratePerMinute?: number
  readonly correlation: readonly CorrelationRule[]
}

/** `policy` with the defaults of a mesh nobody decided anything for. */
export const meshViewOf = (mesh: string, policy: MeshPolicy): MeshView => ({
  mesh,
  redispatch: policy.redispatch ?? 'advise',
  ...(policy.attemptsMax !== undefined && { attemptsMax: policy.attemptsMax }),
  ...(policy.ratePerMinute !== undefined && { ratePerMinute: policy.ratePerMinute }),
  correlation: policy.correlation ?? [],
})
