import { readAnswer } from '../../a2a/answer.ts'
import { observation } from './event-type.ts'

/** `a2a.message`: one message, bare or as an answer or stream frame carries it. */
export const message = observation('a2a.message', (reader, root) =>
  root === undefined ? undefined : readAnswer(reader, root, { kind: 'message', isFrame: true }),
)
