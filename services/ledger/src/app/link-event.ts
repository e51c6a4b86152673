/** What the log says when a synthetic stream finds its task, loses it, or events go to another stream (K6). */
import { hashOfParts, type Codec, type LinkRecord } from '@a2a-ledger/domain'
import { contentHashOf } from './content-difference.ts'
import { tenant } from './prepare-event.ts'
import type { EventContent } from './prepared.ts'

/** The stream that a record is in: the logical task of a link, and what loses events of those that go. */
export const streamOf = ({ kind, from, to }: LinkRecord): string => (kind === 'moved' ? from : to)

/** What makes one record the same as another: a link may be made and undone more than once. */
const idOf = (codec: Codec, record: LinkRecord): string => {
  const { kind, from, to, workerId, taskId } = record
  const parts = kind === 'moved' ? [from, to, workerId, taskId, String(record.since), String(record.because)] : [from, to, String(record.former)]
  return hashOfParts(codec, kind, parts)
}

const dataOf = (record: LinkRecord): object => {
  const { kind, from, to, workerId, taskId, because } = record
  return kind === 'moved' ? { from, to, workerId, taskId, since: record.since, because } : { from, to, workerId, taskId, because }
}

/** The event for one record; its id depends on what it says and on what was so before. */
export const linkEvent = (codec: Codec, record: LinkRecord): EventContent => {
  const { kind, workerId, taskId } = record
  const stream = streamOf(record)
  const attributes = {
    specversion: '1.0',
    id: idOf(codec, record),
    source: 'urn:a2a-ledger:ledger',
    type: `ledger.correlation-${kind}`,
    datacontenttype: 'application/json',
    correlationid: stream,
    workerid: workerId,
    taskid: taskId,
  } as const
  const data = codec.utf8Encode(JSON.stringify(dataOf(record)))
  const digest = codec.sha256Hex(data)
  return {
    key: hashOfParts(codec, 'key:derived', [tenant, attributes.source, attributes.id]),
    contentHash: contentHashOf(codec, attributes, digest),
    attributes,
    observation: { role: 'record', explicit: stream, workerId, answersOpenSend: false, claimsTask: false, isRestart: false },
    canonicalJson: JSON.stringify({ kind: 'nothing' }),
    data,
    digest,
    statedMs: undefined,
  }
}
