import { readAnswer } from '../../a2a/answer.ts'
import { observation } from './event-type.ts'

/** `a2a.artifact-update`: one artifact-update, bare or as an answer or stream frame carries it. */
export const artifactUpdate = observation('a2a.artifact-update', (reader, root) =>
  root === undefined
    ? undefined
    : readAnswer(reader, root, { kind: 'artifact-update', isFrame: true }),
)
