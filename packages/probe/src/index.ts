/** Finds out what an A2A agent really does: a canary is sent, watched, answered, and left waiting for a restart. */
export { defaultPlan } from './default-plan.ts'
export type { RestartWord } from './next-move.ts'
export type { AnswerHead, ProbeClient, ProbePorts, PushReceiver, WitnessedCall } from './ports.ts'
export { type ProbeJob, runProbe, type RunOutcome } from './run-probe.ts'
export { targetsOf } from './steps/read-card.ts'
export { cardUrlsOf, headersFor, type ProbeSubject } from './subject.ts'
export { type Call, listCall, taskCall } from './wire.ts'
export { type CallOptions, type CallResult, createWorkerClient } from './worker-client.ts'
