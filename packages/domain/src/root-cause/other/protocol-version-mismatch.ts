/**
 * `protocol_version_mismatch`: payloads of another protocol version than the card declares (case C127).
 *
 * Only versions that the payload itself tells count. Structure tells generations of the wire format
 * apart and no more: 0.2 and 0.3 look alike, and so do all versions from 1.0 on.
 */
import { majorMinor } from '../../a2a/version.ts'
import { isSign } from '../../task/attempt.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const protocolVersionMismatch: OtherCause = {
  cause: 'protocol_version_mismatch',
  responsible: 'worker',
  says: 'worker {worker} speaks another protocol version than its card declares',
  nextAction: 'Have {worker} declare the protocol version that it speaks.',
  find: (file) =>
    file.facts.filter(isSign).flatMap((fact) => {
      if (fact.isVersionTold !== true || fact.protocolVersion === undefined || fact.workerId === undefined) return []
      const card = file.cardAt(fact.workerId, fact.atMs)
      const declared = (card?.protocolVersions ?? []).flatMap(generationOf)
      if (card === undefined || declared.length === 0) return []
      const [spoken] = generationOf(fact.protocolVersion)
      return spoken === undefined || declared.includes(spoken)
        ? []
        : [{ confidence: 'strong', because: positionsOf([card.position, fact.position]), workerId: fact.workerId }]
    }),
}

const generationOf = (version: string): readonly string[] => {
  const known = majorMinor(version)
  if (known === undefined) return []
  return [known.startsWith('0.') ? (known === '0.2' ? '0.3' : known) : '1']
}
