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

/** Who acts on a `redispatch`: nobody but the caller, the ledger once a person approves, or the ledger by itself (V8). */
export const redispatchModes = ['advise', 'approve', 'auto'] as const

export type RedispatchMode = (typeof redispatchModes)[number]

/** One schema validates the request and reads the recorded event. Members left out keep their value. */
export const meshPolicySchema = z.object({
  redispatch: z.enum(redispatchModes).optional(),
  /** Sends of one logical task that are repeated at most. */
  attemptsMax: z.int().min(1).max(100).optional(),
  /** Re-dispatches in the whole mesh. */
  ratePerMinute: z.int().min(1).max(10_000).optional(),
  /** Whether an attempt that lost against a re-dispatch, or the other way round, is canceled at its worker. */
  cancelLoser: z.boolean().optional(),
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
  readonly redispatch: RedispatchMode
  readonly attemptsMax?: number
  readonly ratePerMinute?: number
  readonly cancelLoser?: boolean
  readonly correlation: readonly CorrelationRule[]
}

/** `policy` with the defaults of a mesh nobody decided anything for. */
export const meshViewOf = (mesh: string, policy: MeshPolicy): MeshView => ({
  mesh,
  redispatch: policy.redispatch ?? 'advise',
  ...(policy.attemptsMax !== undefined && { attemptsMax: policy.attemptsMax }),
  ...(policy.ratePerMinute !== undefined && { ratePerMinute: policy.ratePerMinute }),
  ...(policy.cancelLoser !== undefined && { cancelLoser: policy.cancelLoser }),
  correlation: policy.correlation ?? [],
})
