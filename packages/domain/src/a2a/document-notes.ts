/** Notes that the text of a payload gives, whatever it says. */
import type { JsonDocument } from '../json/document.ts'
import { credentialsIn } from './credentials.ts'
import type { Reader } from './reader.ts'

/** Adds `number_precision` and `credentials_redacted` (also for credentials overwritten before). */
export const noteDocument = (
  reader: Reader,
  { root, text, hasImpreciseNumber }: JsonDocument,
): void => {
  if (hasImpreciseNumber) reader.note('number_precision')
  if (credentialsIn(reader.context, root, text).length > 0) reader.note('credentials_redacted')
}
