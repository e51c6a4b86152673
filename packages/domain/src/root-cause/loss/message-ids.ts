/** Which client messages a server task answers, as far as sends and histories tell. */
import type { CaseFile, ServerTask } from '../case-file.ts'

export const messageIdsOf = (
  file: CaseFile,
  task: Pick<ServerTask, 'workerId' | 'taskId'>,
): ReadonlySet<string> => {
  const sent = file.analysis.dispatches
    .filter(({ workerId, taskId }) => workerId === task.workerId && taskId === task.taskId)
    .map(({ messageId }) => messageId)
  const told = file.factsOf(task).map((fact) => (fact.kind === 'report' ? fact.historyMessageId : undefined))
  return new Set([...sent, ...told].filter((messageId) => messageId !== undefined))
}
