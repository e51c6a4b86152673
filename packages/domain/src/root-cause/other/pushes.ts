/** The pushes that one attempt's webhooks got. */
import type { ReportFact } from '../../fact/fact.ts'
import type { CaseFile, ServerTask } from '../case-file.ts'

/** Pushed reports of one server task, in the order in which they arrived. */
export const pushesOf = (file: CaseFile, task: Pick<ServerTask, 'workerId' | 'taskId'>): readonly ReportFact[] =>
  file.factsOf(task).filter((fact): fact is ReportFact => fact.kind === 'report' && fact.operation === 'Push')
