/**
 * One append transaction up to, but not including, its COMMIT (L4): everything was prepared before,
 * so between the lock and the commit there are only look-ups, decisions and COPY.
 */
import type { BatchEntry, Codec, CorrelationKeys, CorrelationResolution, Placement } from '@a2a-ledger/domain'
import type { PoolClient } from 'pg'
import { bodiesNeeded, dedupe, type Verdict } from '../../app/dedupe.ts'
import { linkedEvent } from '../../app/linked-event.ts'
import type { AppendOutcome } from '../../app/ports.ts'
import { tenant, type Preparation } from '../../app/prepare-event.ts'
import type { EventContent, Prepared, PreparedEvent, PushSubject } from '../../app/prepared.ts'
import type { CopyValue } from './copy-row.ts'
import { copyInto } from './copy-into.ts'
import { bytesOfHex } from './hex.ts'
import { pushSubjectHash, type StoredPushSubject } from './push-subject-hash.ts'
import { resolveInDatabase } from './resolve-in-database.ts'
import { beginAppend } from './sql/begin-append.ts'
import { findKeys } from './sql/find-keys.ts'
import { findPayloads } from './sql/find-payloads.ts'
import { findRecordedContent } from './sql/find-recorded-content.ts'
import { insertPushSecrets, type PushSecretRow } from './sql/insert-push-secrets.ts'
import { insertQuarantine } from './sql/insert-quarantine.ts'
import { insertReplays } from './sql/insert-replays.ts'

export interface Writing {
  readonly codec: Codec
  readonly keys: CorrelationKeys
  readonly preparation: Preparation
  /** The end of the log as far as this process has seen it. */
  readonly headSeen: () => number
  /** Makes sure that positions up to `upto` have a partition. */
  readonly ensurePartitions: (upto: number) => Promise<void>
}

/** What the transaction will have done once it is committed. */
export interface WrittenGroup {
  readonly outcomes: readonly AppendOutcome[]
  readonly head: number
  /** Keys of the new events and where they stand: how a lost COMMIT is found out (L1). */
  readonly recordedKeys: ReadonlyMap<string, number>
}

type Resolution = Extract<CorrelationResolution, { readonly outcome: 'resolved' }>
type Placed = Extract<Placement, { readonly outcome: 'placed' }>

/** One event with its place in the log. */
interface PlacedContent {
  readonly content: EventContent
  readonly placed: Placed
}

/** Begins a transaction on `client` and writes `group`; the caller commits or rolls back. */
export async function writeGroup(
  client: PoolClient,
  group: readonly Prepared[],
  writing: Writing,
): Promise<WrittenGroup> {
  const { head, nowMs } = await beginAppend(client, writing.headSeen())
  const events = group.filter((input) => input.kind === 'event')
  const recorded = await findKeys(client, events.map(({ key }) => key))
  const needed = bodiesNeeded(group, recorded)
  const bodies = needed.length === 0 ? new Map() : await findRecordedContent(client, needed)
  const verdicts = dedupe(writing.codec, group, recorded, bodies)

  const batch = batchOf(group, verdicts, nowMs)
  const resolution = await resolveInDatabase(client, batch.entries, { keys: writing.keys, head })
  const placed = placedContents(batch.contents, resolution, writing.codec)
  if (resolution.head > head) {
    await writing.ensurePartitions(resolution.head)
    await writeEvents(client, placed, { nowMs, head, keys: writing.keys })
    await writeLessons(client, resolution, writing.keys)
  }

  const outcomes = outcomesOf(group, verdicts, resolution.placements, batch.at, writing.preparation)
  await writeQuarantine(client, group, outcomes, writing.preparation)
  await writePushSecrets(client, group, batch.at, resolution.placements, writing)
  await writeReplays(client, group, outcomes)
  return {
    outcomes,
    head: resolution.head,
    recordedKeys: new Map(placed.map(({ content, placed: { position } }) => [content.key, position])),
  }
}

interface Batch {
  readonly entries: readonly BatchEntry[]
  readonly contents: readonly EventContent[]
  /** By index in the group: index of the event in the batch. */
  readonly at: ReadonlyMap<number, number>
}

/** The new events of a group, each followed by what is derived from it (K5). */
function batchOf(group: readonly Prepared[], verdicts: readonly Verdict[], nowMs: number): Batch {
  const entries: BatchEntry[] = []
  const contents: EventContent[] = []
  const at = new Map<number, number>()
  const add = (content: EventContent, more: Partial<BatchEntry>): void => {
    const { observation, digest, statedMs } = content
    entries.push({ observation, digest, witnessMs: statedMs ?? nowMs, ...more })
    contents.push(content)
  }
  for (const [index, input] of group.entries()) {
    if (input.kind !== 'event' || verdicts[index]?.kind !== 'new') continue
    const derivedFrom = entries.length
    at.set(index, derivedFrom)
    add(input, input.ifStreamPosition === undefined ? {} : { ifStreamPosition: input.ifStreamPosition })
    for (const content of input.derived) add(content, { derivedFrom })
  }
  return { entries, contents, at }
}

function placedContents(contents: readonly EventContent[], resolution: Resolution, codec: Codec): PlacedContent[] {
  const placed = contents.flatMap((content, index): PlacedContent[] => {
    const placement = resolution.placements[index]
    return placement?.outcome === 'placed' ? [{ content, placed: placement }] : []
  })
  const linked = resolution.linked.map((link): PlacedContent => ({
    content: linkedEvent(codec, link),
    placed: { outcome: 'placed', position: link.position, correlationId: link.to, rung: 'explicit' },
  }))
  return [...placed, ...linked].sort((one, other) => one.placed.position - other.placed.position)
}

async function writeEvents(
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
    [
      'position', 'recorded_at', 'tenant', 'event_type', 'attributes', 'correlation_id', 'correlation_hash', 'rung',
      'refused_code', 'refused_correlation_id', 'worker_hash', 'task_hash', 'derived_from', 'canonical', 'payload_position',
    ],
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

async function writeLessons(client: PoolClient, { lessons, linked }: Resolution, keys: CorrelationKeys): Promise<void> {
  await copyInto(
    client,
    'task_link',
    ['task_hash', 'position', 'correlation_id'],
    lessons.taskLinks.map(({ task, position, correlationId }) => [bytesOfHex(task), position, correlationId]),
  )
  await copyInto(
    client,
    'message_link',
    ['message_hash', 'position', 'correlation_id', 'named_task_hash'],
    lessons.messageLinks.map(({ message, position, correlationId, namedTask }) => [
      bytesOfHex(message),
      position,
      correlationId,
      namedTask === undefined ? null : bytesOfHex(namedTask),
    ]),
  )
  await copyInto(
    client,
    'dispatch',
    ['correlation_hash', 'worker_hash', 'position', 'named_task_hash'],
    lessons.dispatches.map(({ correlation, worker, position, namedTask }) => [
      bytesOfHex(correlation),
      bytesOfHex(worker),
      position,
      namedTask === undefined ? null : bytesOfHex(namedTask),
    ]),
  )
  await copyInto(
    client,
    'open_claim',
    ['claim_hash', 'task_hash', 'position', 'worker_id', 'task_id'],
    lessons.openClaims.map(({ claim, task, position, workerId, taskId }) => [
      bytesOfHex(claim),
      bytesOfHex(task),
      position,
      workerId,
      taskId,
    ]),
  )
  await copyInto(
    client,
    'synthetic_stream',
    ['stream_hash', 'position'],
    lessons.syntheticStreams.map(({ stream, position }) => [bytesOfHex(stream), position]),
  )
  await copyInto(
    client,
    'worker_restart',
    ['worker_hash', 'position'],
    lessons.restarts.map(({ worker, position }) => [bytesOfHex(worker), position]),
  )
  await copyInto(
    client,
    'alias',
    ['from_hash', 'position', 'from_id', 'to_hash', 'to_id'],
    linked.map(({ position, from, to }) => [
      bytesOfHex(keys.correlation(from)),
      position,
      from,
      bytesOfHex(keys.correlation(to)),
      to,
    ]),
  )
}

/** What each input is told; a conflict already knows the id that its input is kept under. */
function outcomesOf(
  group: readonly Prepared[],
  verdicts: readonly Verdict[],
  placements: readonly Placement[],
  at: ReadonlyMap<number, number>,
  preparation: Preparation,
): readonly AppendOutcome[] {
  const outcomes: AppendOutcome[] = []
  for (const [index, input] of group.entries()) {
    outcomes.push(outcomeOf(input, verdicts[index] ?? { kind: 'new' }, placements[at.get(index) ?? -1]))
  }
  return outcomes

  function outcomeOf(input: Prepared, verdict: Verdict, placement: Placement | undefined): AppendOutcome {
    if (input.kind === 'quarantine') {
      return { outcome: 'quarantined', quarantineId: input.row.id, reason: input.row.reason }
    }
    switch (verdict.kind) {
      case 'duplicate-of-recorded': {
        const { position, correlationId } = verdict.recorded
        return { outcome: 'duplicate', position, correlationId: correlationId ?? input.attributes.correlationid ?? '' }
      }
      case 'duplicate-in-group': {
        const twin = outcomes[verdict.index]
        if (twin?.outcome === 'recorded') return { ...twin, outcome: 'duplicate' }
        if (twin?.outcome === 'stale') return twin
        throw new TypeError(`A duplicate of an input that is ${twin?.outcome}.`)
      }
      case 'conflict': {
        const { row } = conflictRow(input, verdict.differsIn, preparation)
        return { outcome: 'conflict', differsIn: verdict.differsIn, quarantineId: row.id }
      }
      case 'new':
      case 'quarantine':
        if (placement?.outcome === 'stale') return placement
        if (placement?.outcome === 'placed') {
          const { position, correlationId } = placement
          return { outcome: 'recorded', position, correlationId }
        }
        throw new TypeError('A new event has no place.')
    }
  }
}

function conflictRow(input: PreparedEvent, differsIn: readonly string[], preparation: Preparation) {
  const { via, attributes, data, headers } = input
  const detail = `The key is recorded with other content; it differs in ${differsIn.join(', ')}.`
  return preparation.quarantine({
    reason: 'conflict',
    detail,
    via,
    source: attributes.source,
    bytes: data,
    headers,
    attributes,
  })
}

async function writeQuarantine(
  client: PoolClient,
  group: readonly Prepared[],
  outcomes: readonly AppendOutcome[],
  preparation: Preparation,
): Promise<void> {
  for (const [index, input] of group.entries()) {
    const outcome = outcomes[index]
    if (input.kind === 'quarantine') await insertQuarantine(client, input.row)
    else if (outcome?.outcome === 'conflict') {
      await insertQuarantine(client, conflictRow(input, outcome.differsIn, preparation).row)
    }
  }
}

async function writePushSecrets(
  client: PoolClient,
  group: readonly Prepared[],
  at: ReadonlyMap<number, number>,
  placements: readonly Placement[],
  { codec }: Writing,
): Promise<void> {
  const rows = group.flatMap((input, index): PushSecretRow[] => {
    const placement = placements[at.get(index) ?? -1]
    if (input.kind !== 'event' || placement?.outcome !== 'placed') return []
    return input.pushSecrets.map(({ subject, secretHash }) => ({
      subjectHash: pushSubjectHash(codec, stored(subject, placement.correlationId)),
      secretHash,
      position: placement.position,
    }))
  })
  if (rows.length > 0) await insertPushSecrets(client, rows)
}

/** Which logical task a secret is for is known only now. */
const stored = (subject: PushSubject, correlationId: string): StoredPushSubject =>
  subject.kind === 'logical-task' ? { ...subject, correlationId } : subject

async function writeReplays(
  client: PoolClient,
  group: readonly Prepared[],
  outcomes: readonly AppendOutcome[],
): Promise<void> {
  const replays = group.flatMap((input, index) => {
    const outcome = outcomes[index]
    const id = input.kind === 'event' ? input.replayOf : undefined
    const isRecorded = outcome?.outcome === 'recorded' || outcome?.outcome === 'duplicate'
    return id === undefined || !isRecorded ? [] : [{ id, position: outcome.position }]
  })
  if (replays.length > 0) await insertReplays(client, replays)
}
