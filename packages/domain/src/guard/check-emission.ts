import type { ReadContext } from '../a2a/read.ts'
import { readPayload } from '../a2a/read.ts'
import { advertisedModesOf, advertisedStatesOf } from '../capability/knowledge.ts'
import { type Capabilities, type Contract, emitArtifact, type TaskRecord, transition } from './guards.ts'

/**
 * What a card advertises, as the guards take it; `undefined` where the text is no card.
 *
 * Shape: the card as JSON, of any A2A version. States that it does not declare are all of its version's;
 * media types are those of its only skill, else the union of defaults and skills.
 * Source: contract §5; F19.
 */
export const advertisedBy = (card: string): Capabilities | undefined => {
  const read = readPayload({ type: 'a2a.agent-card' }, card)
  if (read.outcome !== 'read' || read.reading.kind !== 'agent-card') return undefined
  const { card: reading } = read.reading
  return { states: advertisedStatesOf(reading), mediaTypes: advertisedModesOf(reading) }
}

const asTask: ReadContext = { type: 'a2a.task', operation: 'Emit' }

/**
 * Checks a task as its worker is about to emit it: its state, and the media type of every part of its
 * artifacts.
 *
 * Shape: the task as JSON, of any A2A version. What is no task is not judged.
 * Errors: throws `CapabilityContractError` for the first that is not advertised, or not verified.
 * Source: design V9.
 */
export const checkEmission = (task: string, contract: Contract): void => {
  const read = readPayload(asTask, task)
  if (read.outcome !== 'read' || read.reading.kind !== 'task') return
  const { claim, taskId, status, artifacts } = read.reading
  const record: TaskRecord = {
    correlationId: claim?.correlationId ?? taskId ?? '',
    ...(taskId !== undefined && { taskId }),
    lastObserved: 'unknown',
    artifacts: [],
  }
  if (status.state !== undefined) transition(record, status.state, contract)
  for (const { parts } of artifacts) for (const { mediaType } of parts) emitArtifact(record, mediaType, contract)
}
