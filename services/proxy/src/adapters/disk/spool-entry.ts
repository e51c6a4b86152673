/**
 * One entry of the spool as bytes, and the frame that tells a whole one from a torn one.
 *
 *     length (4) · crc32 (4) · kind (1) · length of the head (4) · head, as JSON · data
 */
import { crc32 } from 'node:zlib'
import type { EventAttributes } from '@a2a-ledger/domain'
import type { GapReport, SpoolEntry } from '@a2a-ledger/witness/recording'

export const frameBytes = 8
const prefixBytes = 5
const kinds = { event: 1, gap: 2 } as const

/** The entry in its frame. */
export function toSpoolBytes(entry: SpoolEntry): Buffer {
  const head = Buffer.from(JSON.stringify(entry.kind === 'event' ? entry.event.attributes : entry.report))
  const data = entry.kind === 'event' ? entry.event.data : new Uint8Array()
  const bytes = Buffer.allocUnsafe(frameBytes + prefixBytes + head.length + data.length)
  bytes.writeUInt8(kinds[entry.kind], frameBytes)
  bytes.writeUInt32LE(head.length, frameBytes + 1)
  bytes.set(head, frameBytes + prefixBytes)
  bytes.set(data, frameBytes + prefixBytes + head.length)
  bytes.writeUInt32LE(bytes.length - frameBytes, 0)
  bytes.writeUInt32LE(crc32(bytes.subarray(frameBytes)), 4)
  return bytes
}

/** The whole entry that begins at `at`: where it ends, and its bytes; `undefined` where there is none. */
export function framedAt(buffer: Buffer, at: number): { readonly end: number; readonly content: Buffer } | undefined {
  if (at + frameBytes > buffer.length) return undefined
  const end = at + frameBytes + buffer.readUInt32LE(at)
  if (end > buffer.length || end - at < frameBytes + prefixBytes) return undefined
  const content = buffer.subarray(at + frameBytes, end)
  return crc32(content) === buffer.readUInt32LE(at + 4) ? { end, content } : undefined
}

export function fromSpoolContent(content: Buffer): SpoolEntry {
  const headEnd = prefixBytes + content.readUInt32LE(1)
  const head: unknown = JSON.parse(content.toString('utf8', prefixBytes, headEnd))
  return content.readUInt8(0) === kinds.gap
    ? { kind: 'gap', report: head as GapReport }
    : { kind: 'event', event: { attributes: head as EventAttributes, data: content.subarray(headEnd) } }
}
