/** What a completed attempt left behind. */
import type { AttemptAnalysis } from '../../task/analysis.ts'
import { statementsOf, type CaseFile, type Statement } from '../case-file.ts'

export interface BareCompletion {
  readonly attempt: AttemptAnalysis
  readonly said: readonly Statement[]
}

/** Completed attempts without any artifact, and what they said. */
export const bareCompletionsOf = (file: CaseFile): readonly BareCompletion[] => {
  const withArtifacts = new Set(
    file.analysis.artifacts.flatMap(({ canonical, variants }) =>
      [canonical, ...variants].map(({ workerId, taskId }) => JSON.stringify([workerId, taskId])),
    ),
  )
  return file.analysis.attempts
    .filter(
      ({ state, workerId, taskId }) => state === 'completed' && !withArtifacts.has(JSON.stringify([workerId, taskId])),
    )
    .map((attempt) => ({ attempt, said: statementsOf(file, attempt) }))
}
