/**
 * All causes, in the order in which they win.
 *
 * Of `lossCauses` the first that has evidence explains a lost attempt, and the others say nothing
 * about it (contract §7). `otherCauses` stand side by side; their order is that of the findings,
 * and the first that explains the state of the task leads the summary.
 */
import type { LossCause, OtherCause } from './cause.ts'
import { causeUnknown } from './loss/cause-unknown.ts'
import { lostOnRestart } from './loss/lost-on-restart.ts'
import { neverExisted } from './loss/never-existed.ts'
import { notAccessible } from './loss/not-accessible.ts'
import { otherId } from './loss/other-id.ts'
import { purgedAfterTerminal } from './loss/purged-after-terminal.ts'
import { replicaMiss } from './loss/replica-miss.ts'
import { retentionExpired } from './loss/retention-expired.ts'
import { storeLost } from './loss/store-lost.ts'
import { answerWithoutTaskId } from './other/answer-without-task-id.ts'
import { cancelUnrequested } from './other/cancel-unrequested.ts'
import { cardInvalid } from './other/card-invalid.ts'
import { cardStale } from './other/card-stale.ts'
import { childFailed } from './other/child-failed.ts'
import { clientDisconnected } from './other/client-disconnected.ts'
import { downstreamTimeout } from './other/downstream-timeout.ts'
import { duplicateExecution } from './other/duplicate-execution.ts'
import { gatewayError } from './other/gateway-error.ts'
import { inputPromptMissing } from './other/input-prompt-missing.ts'
import { mediaTypeDrift } from './other/media-type-drift.ts'
import { orchestratorStaleView } from './other/orchestrator-stale-view.ts'
import { prematureFailure } from './other/premature-failure.ts'
import { protocolVersionMismatch } from './other/protocol-version-mismatch.ts'
import { pushLost } from './other/push-lost.ts'
import { pushUnordered } from './other/push-unordered.ts'
import { resultInMessage } from './other/result-in-message.ts'
import { resumedByOtherParty } from './other/resumed-by-other-party.ts'
import { routeNotFound } from './other/route-not-found.ts'
import { sendRefused } from './other/send-refused.ts'
import { snapshotLacksArtifacts } from './other/snapshot-lacks-artifacts.ts'
import { stateNotDeclared } from './other/state-not-declared.ts'
import { suspiciousCompletion } from './other/suspicious-completion.ts'
import { unknownOutcome } from './other/unknown-outcome.ts'
import { waitingForCredentials } from './other/waiting-for-credentials.ts'
import { waitingForInput } from './other/waiting-for-input.ts'
import { workerInterrupted } from './other/worker-interrupted.ts'
import { workerProtocolFault } from './other/worker-protocol-fault.ts'
import { workerSilent } from './other/worker-silent.ts'

export const lossCauses: readonly LossCause[] = [
  purgedAfterTerminal,
  notAccessible,
  lostOnRestart,
  storeLost,
  replicaMiss,
  retentionExpired,
  otherId,
  neverExisted,
  causeUnknown,
]

export const otherCauses: readonly OtherCause[] = [
  workerInterrupted,
  workerProtocolFault,
  clientDisconnected,
  downstreamTimeout,
  cancelUnrequested,
  suspiciousCompletion,
  childFailed,
  waitingForInput,
  waitingForCredentials,
  inputPromptMissing,
  unknownOutcome,
  sendRefused,
  workerSilent,
  prematureFailure,
  duplicateExecution,
  answerWithoutTaskId,
  orchestratorStaleView,
  resumedByOtherParty,
  routeNotFound,
  gatewayError,
  pushLost,
  pushUnordered,
  snapshotLacksArtifacts,
  resultInMessage,
  mediaTypeDrift,
  stateNotDeclared,
  protocolVersionMismatch,
  cardStale,
  cardInvalid,
]
