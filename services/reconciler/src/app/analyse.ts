import { deriveTask, type Codec, type TaskAnalysis, type TaskInput, type TaskSettings } from '@a2a-ledger/domain'
import type { TaskRecord } from './ports.ts'

/** What the fold needs beside facts and the clock. */
export interface Fold {
  readonly codec: Codec
  readonly settings: TaskSettings
}

/** A stored task as the fold takes it. */
export const inputOf = ({ correlationId, facts, workers }: TaskRecord, asOfMs: number, fold: Fold): TaskInput => ({
  correlationId,
  facts,
  workers,
  asOfMs,
  ...fold,
})

/** What a stored task says at one moment. */
export const analysisOf = (record: TaskRecord, asOfMs: number, fold: Fold): TaskAnalysis =>
  deriveTask(inputOf(record, asOfMs, fold))
