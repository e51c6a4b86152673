/** Data of `reconciler.worker-enrolled` (contract §4): a worker's policy, as its operator set it. */
import { z } from 'zod'

const id = z.string().min(1).max(1024)

/** One schema validates the request and reads the recorded event. Members left out keep their value. */
export const enrolmentSchema = z.object({
  mesh: z.string().min(1).max(200).optional(),
  trust: z.enum(['verify', 'card']).optional(),
  replicas: z.int().min(1).max(1000).optional(),
  owner: z.string().min(1).max(200).optional(),
  substitutes: z.array(id).max(100).optional(),
  interface: z
    .object({
      url: z.url({ protocol: /^https?$/ }).max(2048),
      cardUrl: z.url({ protocol: /^https?$/ }).max(2048).optional(),
      headers: z.record(z.string().max(200), z.string().max(4096)).optional(),
    })
    .optional(),
  observe: z
    .object({ enabled: z.boolean(), pollMs: z.int().min(100).max(86_400_000).optional(), subscribe: z.boolean().optional() })
    .optional(),
  probe: z
    .object({
      enabled: z.boolean(),
      message: z.string().max(10_000).optional(),
      park: z.boolean().optional(),
      everyMs: z.int().min(1_000).optional(),
      /** For how long an ended canary is asked for. */
      retentionSeconds: z.int().min(0).max(86_400).optional(),
    })
    .optional(),
  push: z.object({ token: z.string().min(1).max(1024).optional(), tee: z.boolean().optional() }).optional(),
})

export type Enrolment = z.infer<typeof enrolmentSchema>
