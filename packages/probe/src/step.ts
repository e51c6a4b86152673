/** What every step works with, and what comes of it. */
import type { ProbeLearned, ProbeRecord, ProbeTarget } from '@a2a-ledger/domain'
import type { ProbePorts } from './ports.ts'
import type { CardAnswer, WorkerClient } from './worker-client.ts'

export interface StepContext {
  readonly record: ProbeRecord
  readonly ports: ProbePorts
  /** Where the card may be; the first that answers with one counts. */
  readonly cardUrls: readonly string[]
  /** The target in use; the card has to be known. */
  readonly target: () => ProbeTarget
  /** The client of the whole step. */
  readonly client: WorkerClient
  /** One with connections of its own, closed with the step. */
  readonly freshClient: () => WorkerClient
  /** Fetches a card, as any of the clients would. */
  readonly fetchCard: (url: string) => Promise<CardAnswer>
  /** Aborted when the step has used its time, or when this process stops. */
  readonly signal: AbortSignal
}

export interface StepResult {
  readonly outcome: 'ok' | 'failed' | 'skipped'
  readonly detail?: string
  readonly learned?: ProbeLearned
}

export type Step = (context: StepContext) => Promise<StepResult>
