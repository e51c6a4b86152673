import type { CorrelationKeys, Placement } from '@a2a-ledger/domain'
import type { PoolClient } from 'pg'
import { tenant } from '../../app/prepare-event.ts'
import type { EventContent } from '../../app/prepared.ts'
import { copyInto } from './copy-into.ts'
import type { CopyValue } from './copy-row.ts'
import { bytesOfHex } from './hex.ts'
import { findPayloads } from './sql/find-payloads.ts'

/** One event with its place in the log. */
export interface PlacedContent {
  readonly content: EventContent
  readonly placed: Extract<Placement, { readonly outcome: 'placed' }>
}

const eventColumns = [
  'position',
  'recorded_at',
  'tenant',
  'event_type',
  'attributes',
  'correlation_id',
  'correlation_hash',
  'rung',
  'refused_code',
  'refused_correlation_id',
  'worker_hash',
  'task_hash',
  'derived_from',
  'canonical',
  'payload_position',
] as const

/** Appends events, their keys, and those of their bytes that are not stored yet (L3, L13). */
export async function copyEvents(
  client: PoolClient,
  placed: readonly PlacedContent[],
  { nowMs, head, keys }: { readonly nowMs: number; readonly head: number; readonly keys: CorrelationKeys },
): Promise<void> {
  const stored = new Map(await findPayloads(client, new Set(placed.map(({ content }) => content.digest)), head))
  const payloads: CopyValue[][] = []
  for (const { content, placed: { position } } of placed) {
    if (stored.has(content.digest)) continue
    stored.set(content.digest, position)
    payloads.push([position, bytesOfHex(content.digest), content.data])
  }
  const recordedAt = new Date(nowMs).toISOString()
  const bytesOrNull = (hash: string | undefined): Uint8Array | null => (hash === undefined ? null : bytesOfHex(hash))
  await copyInto(client, 'payloads', ['position', 'digest', 'data'], payloads)
  await copyInto(
    client,
    'events',
    eventColumns,
    placed.map(({ content: { attributes, observation, canonicalJson, digest }, placed: event }) => [
      event.position,
      recordedAt,
      tenant,
      attributes.type,
      JSON.stringify(attributes),
      event.correlationId,
      bytesOfHex(keys.correlation(event.correlationId)),
      event.rung,
      event.refused?.code ?? null,
      event.refused?.correlationId ?? null,
      bytesOrNull(observation.workerId === undefined ? undefined : keys.worker(observation.workerId)),
      bytesOrNull(taskKeyOf(observation, keys)),
      event.derivedFrom ?? null,
      canonicalJson,
      stored.get(digest) ?? event.position,
    ]),
  )
  await copyInto(
    client,
    'event_key',
    ['key_hash', 'position', 'content_hash'],
    placed.map(({ content, placed: { position } }) => [bytesOfHex(content.key), position, bytesOfHex(content.contentHash)]),
  )
}

/** Only what is about a task counts as the newest word about it (L13). */
function taskKeyOf({ role, workerId, taskId }: EventContent['observation'], keys: CorrelationKeys): string | undefined {
  return role === 'worker-fact' || workerId === undefined || taskId === undefined ? undefined : keys.task(workerId, taskId)
}
