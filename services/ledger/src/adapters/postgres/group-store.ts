/**
 * The store's half of an append: one transaction a group, and what happens when it fails.
 *
 * Before COMMIT is sent a failure means that nothing was recorded: the group is tried again, halved
 * when something in it cannot be stored (L6), or refused with `store_unavailable`. Once COMMIT was
 * sent, only the database knows: a new connection takes the append lock, which the old session
 * holds until it has ended either way, and looks the keys up (L1). What cannot be found out is
 * `outcome_unknown`.
 */
import { LedgerError } from '@a2a-ledger/domain'
import type { Pool, PoolClient } from 'pg'
import type { GroupStore } from '../../app/append-queue.ts'
import type { AppendOutcome } from '../../app/ports.ts'
import type { Prepared, PreparedQuarantine } from '../../app/prepared.ts'
import { commit, CommitUnconfirmed } from './commit.ts'
import { beginAppend } from './sql/begin-append.ts'
import { findKeys } from './sql/find-keys.ts'
import { freeAppendLock } from './sql/free-append-lock.ts'
import { failureKindOf } from './sqlstate.ts'
import { writeGroup, type Writing, type WrittenGroup } from './write-group.ts'

export interface GroupStoreOptions {
  /** Of one connection: the append lock would make a second one wait. */
  readonly writer: Pool
  /** For what must not wait behind the writer. */
  readonly reader: Pool
  readonly writing: Writing
  /** A session that held the lock this long without a word from its client is ended (L5). */
  readonly stalledMs: number
  /** Told after each commit that grew the log (L8). */
  readonly committed: (head: number) => void
}

/** Tries of one group before the callers are told; each waits at most the lock timeout. */
const attemptsMax = 3

/** Appends through `options.writer`. */
export function createGroupStore(options: GroupStoreOptions): GroupStore {
  return { commit: (group) => commitOrSplit(options, group) }
}

/** L6: the halves of a group that cannot be stored are stored apart, down to the one culprit. */
async function commitOrSplit(
  options: GroupStoreOptions,
  group: readonly Prepared[],
): Promise<readonly AppendOutcome[]> {
  try {
    return await commitWithRetries(options, group)
  } catch (error) {
    if (!(error instanceof Unstorable)) throw error
    const [only] = group
    if (group.length > 1) {
      const half = Math.ceil(group.length / 2)
      const first = await commitOrSplit(options, group.slice(0, half))
      return [...first, ...(await commitOrSplit(options, group.slice(half)))]
    }
    if (only === undefined || only.kind === 'quarantine') throw unavailable(error.cause)
    return commitWithRetries(options, [poisonOf(options, only, error)])
  }
}

function poisonOf(
  { writing }: GroupStoreOptions,
  { via, attributes, data, headers }: Extract<Prepared, { readonly kind: 'event' }>,
  { message }: Unstorable,
): PreparedQuarantine {
  return writing.preparation.quarantine({
    reason: 'poison',
    detail: message,
    via,
    source: attributes.source,
    bytes: data,
    headers,
    attributes,
  })
}

/** Something in the group cannot be stored, whoever tries and however often. */
class Unstorable extends Error {
  override readonly name = 'Unstorable'
}

async function commitWithRetries(
  options: GroupStoreOptions,
  group: readonly Prepared[],
): Promise<readonly AppendOutcome[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commitOnce(options, group)
    } catch (error) {
      if (error instanceof LedgerError) throw error
      const kind = failureKindOf(error)
      if (kind === 'poison') throw new Unstorable(messageOf(error), { cause: error })
      if (kind === 'defect') throw new LedgerError('internal', messageOf(error), { cause: error })
      if (attempt >= attemptsMax) throw unavailable(error)
      if (kind === 'lock-timeout') await freeStalled(options)
    }
  }
}

/** A pooled connection that died while idle is no outage: that is what the second attempt is for. */
async function commitOnce(
  options: GroupStoreOptions,
  group: readonly Prepared[],
): Promise<readonly AppendOutcome[]> {
  const client = await connect(options.writer)
  let written: WrittenGroup
  try {
    written = await writeGroup(client, group, options.writing)
  } catch (error) {
    await rollback(client)
    throw error
  }
  try {
    await commit(client)
    client.release()
  } catch (error) {
    client.release(true)
    if (!(error instanceof CommitUnconfirmed)) throw error
    await confirm(options, written, error)
  }
  if (written.recordedKeys.size > 0) options.committed(written.head)
  return written.outcomes
}

/**
 * L1: returns when a COMMIT without an acknowledgement turns out to be durable; throws what broke
 * the connection when nothing was recorded. After a warning it stays unknown even when the keys are
 * there: they are on this server, and that is not what was promised.
 */
async function confirm(
  { writer, writing }: GroupStoreOptions,
  written: WrittenGroup,
  unconfirmed: CommitUnconfirmed,
): Promise<void> {
  const unknown = (cause: unknown): LedgerError =>
    new LedgerError('outcome_unknown', `${unconfirmed.message} Send the same again.`, { cause })
  if (unconfirmed.cause === undefined) throw unknown(unconfirmed)
  let isRecorded: boolean
  try {
    isRecorded = await isWritten(writer, written, writing.headSeen())
  } catch (cause) {
    throw unknown(cause)
  }
  if (!isRecorded) throw unconfirmed.cause
}

/** Whether the keys stand where they were to be put; asked under the lock, so nothing is pending. */
async function isWritten(writer: Pool, { recordedKeys }: WrittenGroup, headSeen: number): Promise<boolean> {
  const client = await connect(writer)
  try {
    await beginAppend(client, headSeen)
    const found = await findKeys(client, [...recordedKeys.keys()])
    return recordedKeys.size > 0 && [...recordedKeys].every(([key, at]) => found.get(key)?.position === at)
  } finally {
    await rollback(client)
  }
}

/** Gives the connection back, without a transaction on it, or not at all. */
async function rollback(client: PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK')
    client.release()
  } catch (error) {
    client.release(error instanceof Error ? error : true)
  }
}

async function freeStalled({ reader, stalledMs }: GroupStoreOptions): Promise<void> {
  const client = await connect(reader)
  try {
    await freeAppendLock(client, stalledMs)
    client.release()
  } catch (error) {
    client.release(true)
    throw unavailable(error)
  }
}

/** A server that cannot be reached now is not tried again: the caller is told at once. */
async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw unavailable(error)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const unavailable = (cause: unknown): LedgerError =>
  new LedgerError('store_unavailable', `Postgres: ${messageOf(cause)}`, { cause })
