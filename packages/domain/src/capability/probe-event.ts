/** The CloudEvent that records one moment of a probe: its id is that of the moment, so it is recorded once. */
import { workerCorrelationId } from '../correlation/correlation-id.ts'
import { probeStepDataSchema, type ProbeStepData } from '../event/probe-step.ts'

export interface ProbeMomentEvent {
  readonly attributes: {
    readonly specversion: '1.0'
    readonly id: string
    readonly source: 'urn:a2a-ledger:probe'
    readonly type: 'reconciler.probe-step'
    readonly correlationid: string
    readonly workerid: string
  }
  readonly data: ProbeStepData
}

/** The event of `moment` of a probe of the worker. */
export const probeMomentEvent = (workerId: string, moment: ProbeStepData): ProbeMomentEvent => ({
  attributes: {
    specversion: '1.0',
    id: [moment.probeId, moment.phase, ...('step' in moment ? [moment.step, moment.attempt] : [])].join('/'),
    source: 'urn:a2a-ledger:probe',
    type: 'reconciler.probe-step',
    correlationid: workerCorrelationId(workerId),
    workerid: workerId,
  },
  data: probeStepDataSchema.parse(moment),
})
