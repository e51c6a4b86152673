import { readAnswer } from '../../a2a/answer.ts'
import { observation } from './event-type.ts'

/** `a2a.task`: one task, bare or as an answer or stream frame carries it. */
export const task = observation('a2a.task', (reader, root) =>
  root === undefined ? undefined : readAnswer(reader, root, { kind: 'task', isFrame: true }),
)
