import { deriveTask, type Codec, type TaskAnalysis, type TaskInput, type TaskSettings } from '@a2a-ledger/domain'
import type { TaskLookup, TaskRecord } from './ports.ts'

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

/** What is known of a task; of one that nothing is known of, that. */
export const recordIn = (lookup: TaskLookup | undefined, correlationId: string): TaskRecord =>
  lookup?.outcome === 'found' ? lookup.record : { correlationId, firstPosition: 0, lastPosition: 0, compactedCount: 0, facts: [], workers: new Map() }
