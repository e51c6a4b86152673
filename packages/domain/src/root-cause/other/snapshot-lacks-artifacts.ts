/**
 * `snapshot_lacks_artifacts`: a snapshot without an artifact that was seen before (cases C102, C175).
 *
 * A listing may leave artifacts out (A2A v1.0 §3.1.4 `includeArtifacts`), so it counts for nothing here.
 */
import type { Piece, ReportFact } from '../../fact/fact.ts'
import type { AttemptAnalysis } from '../../task/analysis.ts'
import type { CaseFile } from '../case-file.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import type { Proof } from '../finding.ts'

export const snapshotLacksArtifacts: OtherCause = {
  cause: 'snapshot_lacks_artifacts',
  responsible: 'worker',
  says: 'worker {worker} answers without artifacts that it had emitted',
  nextAction: 'Read the artifacts from the ledger, and have {worker} store what it streams.',
  find: (file) => file.analysis.attempts.flatMap((attempt) => lacking(attempt, file)),
}

const lacking = (attempt: AttemptAnalysis, file: CaseFile): readonly Proof[] => {
  const seen = new Map<string, number>()
  const found: Proof[] = []
  for (const fact of file.factsOf(attempt)) {
    if (fact.kind === 'artifact') remember(seen, fact.piece, fact.position)
    if (fact.kind !== 'report' || !isWhole(fact)) continue
    const pieces = fact.pieces ?? []
    const present = new Set(pieces.map(keyOf))
    const missing = [...seen].find(([key]) => !present.has(key))
    if (missing !== undefined) {
      const [, position] = missing
      const { workerId, taskId } = attempt
      found.push({ confidence: 'strong', because: positionsOf([position, fact.position]), workerId, taskId })
    }
    for (const piece of pieces) remember(seen, piece, fact.position)
  }
  return found
}

const isWhole = ({ form, operation, derivedFrom, streamId }: ReportFact): boolean =>
  form === 'snapshot' && operation !== 'ListTasks' && (derivedFrom === undefined || streamId !== undefined)

const keyOf = ({ artifactId, name, index }: Piece): string => JSON.stringify([artifactId ?? name ?? index])

const remember = (seen: Map<string, number>, piece: Piece, position: number): void => {
  const key = keyOf(piece)
  if (!seen.has(key)) seen.set(key, position)
}
