/** Finds out what an A2A agent really does: a canary is sent, watched, answered, and left waiting for a restart. */
export { defaultPlan } from './default-plan.ts'
export type { RestartWord } from './next-move.ts'
export type { ProbeClient, ProbePorts, PushReceiver, WitnessedCall } from './ports.ts'
export { type ProbeJob, type ProbeSubject, runProbe, type RunOutcome } from './run-probe.ts'
