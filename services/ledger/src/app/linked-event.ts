/** `ledger.correlation-linked` (K6): what the log says when a synthetic stream finds its task. */
import { hashOfParts, type Codec, type CorrelationLinked } from '@a2a-ledger/domain'
import { contentHashOf } from './content-difference.ts'
import { tenant } from './prepare-event.ts'
import type { EventContent } from './prepared.ts'

/** The event for one alias; its id depends on the two IDs alone. */
export const linkedEvent = (codec: Codec, linked: CorrelationLinked): EventContent => {
  const { from, to, workerId, taskId, because } = linked
  const attributes = {
    specversion: '1.0',
    id: hashOfParts(codec, 'linked', [from, to]),
    source: 'urn:a2a-ledger:ledger',
    type: 'ledger.correlation-linked',
    datacontenttype: 'application/json',
    correlationid: to,
    workerid: workerId,
    taskid: taskId,
  } as const
  const data = codec.utf8Encode(JSON.stringify({ from, to, workerId, taskId, because }))
  const digest = codec.sha256Hex(data)
  return {
    key: hashOfParts(codec, 'key:derived', [tenant, attributes.source, attributes.id]),
    contentHash: contentHashOf(codec, attributes, digest),
    attributes,
    observation: { role: 'record', explicit: to, workerId, answersOpenSend: false, claimsTask: false, isRestart: false },
    canonicalJson: JSON.stringify({ kind: 'nothing' }),
    data,
    digest,
    statedMs: undefined,
  }
}
