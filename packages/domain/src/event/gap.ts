/**
 * Data of `ledger.gap`: what a witness saw and could not report. It changes no task; it says that
 * silence in that time is not evidence.
 */
import { z } from 'zod'
import { rfc3339Ms } from './rfc3339.ts'

/** Why events are missing. */
export const gapReasons = {
  spool_full: 'The ledger was away for longer than the witness could keep what it saw.',
  spool_failed: 'The witness could not write what it saw to its disk.',
  killed: 'The witness was killed; what it had not written yet is lost. The counts are a lower bound.',
  too_large: 'A body is larger than an event may be; it was passed on and not kept.',
  overloaded: 'The witness had no memory left for another body; it was passed on and not kept.',
  rejected: 'The ledger did not take the event.',
  not_recorded: 'Calls over a binding that the witness passes on and does not record.',
} as const

export type GapReason = keyof typeof gapReasons

const moment = z.string().max(64).refine((text) => rfc3339Ms(text) !== undefined, 'is not an RFC 3339 timestamp')

/** One schema validates the report and reads the recorded event. */
export const gapSchema = z
  .object({
    witness: z.string().min(1).max(1024).describe('The `source` that the missing events would have had.'),
    reason: z.enum(Object.keys(gapReasons) as [GapReason, ...GapReason[]]),
    from: moment.describe('When the witness saw the first of what is missing.'),
    to: moment.describe('When it saw the last.'),
    events: z.int().min(0).describe('How many events are missing; the sum of `byType`.'),
    byType: z.record(z.string().max(100), z.int().min(1)).describe('The same by type of event.'),
    calls: z.int().min(0).optional().describe('Calls whose events are missing, where that is counted instead.'),
    isExact: z.boolean().describe('False: at least so many.'),
  })
  .refine(({ events, byType }) => Object.values(byType).reduce((sum, count) => sum + count, 0) === events, {
    path: ['events'],
    message: 'is not the sum of byType',
  })

export type Gap = z.infer<typeof gapSchema>
