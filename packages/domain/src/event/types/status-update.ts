import { readAnswer } from '../../a2a/answer.ts'
import { observation } from './event-type.ts'

/** `a2a.status-update`: one status-update, bare or as an answer or stream frame carries it. */
export const statusUpdate = observation('a2a.status-update', (reader, root) =>
  root === undefined
    ? undefined
    : readAnswer(reader, root, { kind: 'status-update', isFrame: true }),
)
