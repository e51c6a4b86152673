/** The content of one artifact of an event's payload, for digests of several stretches and for download. */
import { artifactBytes } from '../a2a/content.ts'
import { readPayload } from '../a2a/read.ts'
import type { PartReading } from '../a2a/reading.ts'
import type { Codec } from '../codec.ts'
import type { LedgerEvent } from '../event/ledger-event.ts'
import { readContextOf } from '../fact/facts-of.ts'

/** The parts of artifact `at` of the payload, `undefined` when erased or when there is none. */
export const artifactPartsOf = (event: LedgerEvent, at: number): readonly PartReading[] | undefined => {
  if (event.data === undefined) return undefined
  const result = readPayload(readContextOf(event), event.data)
  if (result.outcome === 'quarantined') return undefined
  const { reading } = result
  if (reading.kind === 'task') return reading.artifacts[at]?.parts
  if (reading.kind === 'artifact-update') return reading.artifact.parts
  return reading.kind === 'message' ? reading.message.parts : undefined
}

/** Its bytes (contract §4): text as UTF-8, raw decoded, data as received without white space. */
export const artifactBytesOf = (event: LedgerEvent, at: number, codec: Codec): Uint8Array | undefined => {
  const parts = artifactPartsOf(event, at)
  return parts === undefined ? undefined : artifactBytes(parts, codec)
}
