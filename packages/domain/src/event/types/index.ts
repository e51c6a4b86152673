/** Every type of event there is (contract §2), by its name. */
import { agentCard } from './agent-card.ts'
import { artifactUpdate } from './artifact-update.ts'
import { cancel } from './cancel.ts'
import { capability } from './capability.ts'
import { conclusion } from './conclusion.ts'
import { correlationLinked } from './correlation-linked.ts'
import { correlationMoved } from './correlation-moved.ts'
import { correlationUnlinked } from './correlation-unlinked.ts'
import { dispatchIntent } from './dispatch-intent.ts'
import { dispatchSettled } from './dispatch-settled.ts'
import { dispatch } from './dispatch.ts'
import { error } from './error.ts'
import type { EventType } from './event-type.ts'
import { gap } from './gap.ts'
import { meshPolicy } from './mesh-policy.ts'
import { message } from './message.ts'
import { noAnswer } from './no-answer.ts'
import { probeStep } from './probe-step.ts'
import { response } from './response.ts'
import { statusUpdate } from './status-update.ts'
import { streamEnded } from './stream-ended.ts'
import { streamResponse } from './stream-response.ts'
import { task } from './task.ts'
import { verdictApproved } from './verdict-approved.ts'
import { verdict } from './verdict.ts'
import { workerEnrolled } from './worker-enrolled.ts'
import { workerRestarted } from './worker-restarted.ts'

export type { EventType } from './event-type.ts'

/** In the order of the contract: observations, then what the two services write. */
export const eventTypes: readonly EventType[] = [
  dispatch,
  response,
  task,
  statusUpdate,
  artifactUpdate,
  message,
  streamResponse,
  error,
  agentCard,
  noAnswer,
  streamEnded,
  workerRestarted,
  conclusion,
  correlationLinked,
  correlationUnlinked,
  correlationMoved,
  gap,
  workerEnrolled,
  meshPolicy,
  verdict,
  verdictApproved,
  dispatchIntent,
  dispatchSettled,
  cancel,
  probeStep,
  capability,
]

const byName: ReadonlyMap<string, EventType> = new Map(eventTypes.map((each) => [each.type, each]))

/** The type of this name; `undefined` for a type the contract does not have. */
export const findEventType = (type: string): EventType | undefined => byName.get(type)
