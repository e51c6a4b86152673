/**
 * One append transaction up to, but not including, its COMMIT (L4): everything was prepared before,
 * so between the lock and the commit there are only look-ups, decisions and COPY.
 */
import type { BatchEntry, Codec, CorrelationKeys, CorrelationResolution, Placement } from '@a2a-ledger/domain'
import type { PoolClient } from 'pg'
import { bodiesNeeded, dedupe, type KeyCheck } from '../../app/dedupe.ts'
import { conflictRow, outcomesOf } from '../../app/group-outcomes.ts'
import { linkEvent, streamOf } from '../../app/link-event.ts'
import type { AppendOutcome } from '../../app/ports.ts'
import type { Preparation } from '../../app/prepare-event.ts'
import type { EventContent, Prepared, PushSubject } from '../../app/prepared.ts'
import { copyEvents, type PlacedContent } from './copy-events.ts'
import { copyLessons } from './copy-lessons.ts'
import { pushSubjectHash, type StoredPushSubject } from './push-subject-hash.ts'
import type { RememberedRules } from './remembered-rules.ts'
import { resolveInDatabase } from './resolve-in-database.ts'
import { beginAppend } from './sql/begin-append.ts'
import { findKeys } from './sql/find-keys.ts'
import { findRecordedContent } from './sql/find-recorded-content.ts'
import { insertPushSecrets, type PushSecretRow } from './sql/insert-push-secrets.ts'
import { insertQuarantine } from './sql/insert-quarantine.ts'
import { insertReplays } from './sql/insert-replays.ts'

export interface Writing {
  readonly codec: Codec
  readonly keys: CorrelationKeys
  readonly rules: RememberedRules
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
/** Begins a transaction on `client` and writes `group`; the caller commits or rolls back. */
export async function writeGroup(
  client: PoolClient,
  group: readonly Prepared[],
  writing: Writing,
): Promise<WrittenGroup> {
  const { head, nowMs, rulesPosition } = await beginAppend(client, writing.headSeen())
  const events = group.filter((input) => input.kind === 'event')
  const recorded = await findKeys(client, events.map(({ key }) => key))
  const needed = bodiesNeeded(group, recorded)
  const bodies = needed.length === 0 ? new Map() : await findRecordedContent(client, needed)
  const checks = dedupe(writing.codec, group, recorded, bodies)

  const batch = batchOf(group, checks, nowMs)
  const resolution = await resolveInDatabase(client, batch.entries, { ...writing, head, rulesPosition })
  const placed = placedContents(batch.contents, resolution, writing.codec)
  if (resolution.head > head) {
    await writing.ensurePartitions(resolution.head)
    await copyEvents(client, placed, { nowMs, head, keys: writing.keys })
    await copyLessons(client, resolution.lessons, writing.keys)
  }

  const placementAt = (index: number): Placement | undefined => resolution.placements[batch.at.get(index) ?? -1]
  const outcomes = outcomesOf(group, checks, placementAt, writing.preparation)
  await writeQuarantine(client, group, outcomes, writing.preparation)
  await writePushSecrets(client, group, placementAt, writing.codec)
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
function batchOf(group: readonly Prepared[], checks: readonly KeyCheck[], nowMs: number): Batch {
  const entries: BatchEntry[] = []
  const contents: EventContent[] = []
  const at = new Map<number, number>()
  const add = (content: EventContent, more: Partial<BatchEntry>): void => {
    const { observation, digest, statedMs } = content
    entries.push({ observation, digest, witnessMs: statedMs ?? nowMs, ...more })
    contents.push(content)
  }
  for (const [index, input] of group.entries()) {
    if (input.kind !== 'event' || checks[index]?.kind !== 'new') continue
    const derivedFrom = entries.length
    at.set(index, derivedFrom)
    add(input, input.ifStreamPosition === undefined ? {} : { ifStreamPosition: input.ifStreamPosition })
    for (const content of input.derived) add(content, { derivedFrom, isStreamed: content.isStreamed })
  }
  return { entries, contents, at }
}

function placedContents(contents: readonly EventContent[], resolution: Resolution, codec: Codec): PlacedContent[] {
  const placed = contents.flatMap((content, index): PlacedContent[] => {
    const placement = resolution.placements[index]
    return placement?.outcome === 'placed' ? [{ content, placed: placement }] : []
  })
  const records = resolution.records.map((record): PlacedContent => ({
    content: linkEvent(codec, record),
    placed: { outcome: 'placed', position: record.position, correlationId: streamOf(record), rung: 'explicit' },
  }))
  return [...placed, ...records].sort((one, other) => one.placed.position - other.placed.position)
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
      await insertQuarantine(client, conflictRow(input, outcome.differsIn, preparation))
    }
  }
}

async function writePushSecrets(
  client: PoolClient,
  group: readonly Prepared[],
  placementAt: (index: number) => Placement | undefined,
  codec: Codec,
): Promise<void> {
  const rows = group.flatMap((input, index): PushSecretRow[] => {
    const placement = placementAt(index)
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
