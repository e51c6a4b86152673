/** The content of an artifact, put together from the events that carried it, for digests and for download. */
import { artifactBytes } from '../a2a/content.ts'
import { readPayload } from '../a2a/read.ts'
import type { PartReading } from '../a2a/reading.ts'
import type { Codec } from '../codec.ts'
import type { LedgerEvent } from '../event/ledger-event.ts'
import { readContextOf } from '../fact/facts-of.ts'
import type { ContentRef } from '../task/analysis.ts'

/**
 * The bytes of an artifact (contract §4): its stretches one after the other, text as UTF-8, raw
 * decoded, data as received without white space; `undefined` when an event is erased or missing.
 *
 * `events`: those that `content` names, by position. Each is read once, however many stretches stand
 * in it: linear in their bytes.
 */
export const contentBytesOf = (
  content: readonly ContentRef[],
  events: ReadonlyMap<number, LedgerEvent>,
  codec: Codec,
): Uint8Array | undefined => {
  const read = new Map<number, PartsAt>()
  const stretches: Uint8Array[] = []
  for (const { position, at } of content) {
    const partsAt = read.get(position) ?? partsOf(events.get(position))
    read.set(position, partsAt)
    const parts = partsAt(at)
    if (parts === undefined) return undefined
    stretches.push(artifactBytes(parts, codec))
  }
  return joined(stretches)
}

/** The parts of artifact `at` of one payload. */
type PartsAt = (at: number) => readonly PartReading[] | undefined

const partsOf = (event: LedgerEvent | undefined): PartsAt => {
  const nothing = () => undefined
  if (event?.data === undefined) return nothing
  const result = readPayload(readContextOf(event), event.data)
  if (result.outcome === 'quarantined') return nothing
  const { reading } = result
  if (reading.kind === 'task') return (at) => reading.artifacts[at]?.parts
  if (reading.kind === 'artifact-update') return () => reading.artifact.parts
  return reading.kind === 'message' ? () => reading.message.parts : nothing
}

const joined = (stretches: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(stretches.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const stretch of stretches) {
    whole.set(stretch, offset)
    offset += stretch.length
  }
  return whole
}
