import type { ProbePlan } from '@a2a-ledger/domain'

/** Enough for any worker that does its work within seconds; nobody pays for a probe that got lost. */
export const defaultPlan: ProbePlan = {
  park: false,
  parkMsMax: 7 * 86_400_000,
  retentionMs: 0,
  callsMax: 200,
  bytesMax: 16 * 1024 * 1024,
  stepMsMax: 30_000,
  totalMsMax: 180_000,
}
