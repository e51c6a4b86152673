/** Data of `ledger.correlation-linked`, `ledger.correlation-unlinked` and `ledger.correlation-moved` (K6). */
import { z } from 'zod'

const id = z.string().min(1)

/** Of a link and of its end; ledgers before there were people who link wrote the two IDs alone. */
export const linkDataSchema = z.object({
  from: id,
  to: id,
  workerId: id.optional(),
  taskId: id.optional(),
  /** Position of the event that is the reason; what was said, where a person is. */
  because: z.union([z.int(), z.string()]).optional(),
  /** Who said so; absent: the ledger found it. */
  by: z.string().optional(),
})

/** Of events that go to another stream. */
export const moveDataSchema = z.object({
  from: id,
  to: id,
  workerId: id,
  taskId: id,
  since: z.int().min(1),
  because: z.int().min(1),
})
