/**
 * `protocol_version_mismatch`: payloads of another protocol version than the card declares (case C127).
 *
 * What the structure of a payload tells is proof, but it tells generations of the wire format apart
 * and no more: 0.2 and 0.3 look alike, and so do all versions from 1.0 on. A version that the witness
 * states, and the payload does not contradict, is the payload's, down to the minor number.
 */
import { majorMinor } from '../../a2a/version.ts'
import { isSign } from '../../task/attempt.ts'
import type { SignFact } from '../../task/order.ts'
import { positionsOf, type OtherCause } from '../cause.ts'
import type { Confidence } from '../finding.ts'

export const protocolVersionMismatch: OtherCause = {
  cause: 'protocol_version_mismatch',
  responsible: 'worker',
  says: 'worker {worker} speaks another protocol version than its card declares',
  nextAction: 'Have {worker} declare the protocol version that it speaks.',
  find: (file) =>
    file.facts.filter(isSign).flatMap((fact) => {
      if (fact.workerId === undefined) return []
      const card = file.cardAt(fact.workerId, fact.atMs)
      const confidence = card === undefined ? undefined : mismatchOf(fact, card.protocolVersions)
      return card === undefined || confidence === undefined
        ? []
        : [{ confidence, because: positionsOf([card.position, fact.position]), workerId: fact.workerId }]
    }),
}

/** How sure it is that the payload is of none of the declared versions; `undefined`: it is not. */
const mismatchOf = (fact: SignFact, declared: readonly string[]): Confidence | undefined => {
  const spoken = majorMinor(fact.protocolVersion)
  const versions = declared.flatMap((version) => majorMinor(version) ?? [])
  if (spoken === undefined || versions.length === 0 || versions.includes(spoken)) return undefined
  const isOtherGeneration = !versions.map(generationOf).includes(generationOf(spoken))
  if (fact.isVersionTold === true && isOtherGeneration) return 'strong'
  return fact.isVersionStated === true ? 'stated' : undefined
}

const generationOf = (version: string): string => (version.startsWith('0.') ? (version === '0.2' ? '0.3' : version) : '1')
