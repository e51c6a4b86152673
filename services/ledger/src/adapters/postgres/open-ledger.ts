/** The ledger on Postgres, put together: what `main.ts` opens and closes. */
import { timingSafeEqual } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createCorrelationKeys, type Codec } from '@a2a-ledger/domain'
import { createAppendQueue, type QueueLimits } from '../../app/append-queue.ts'
import { createLedger } from '../../app/ledger.ts'
import type { Ledger, LedgerReader } from '../../app/ports.ts'
import { createPreparation } from '../../app/prepare-event.ts'
import { checkMigrated } from './check-migrated.ts'
import { createGroupStore } from './group-store.ts'
import { createPartitions } from './partitions.ts'
import { createPools } from './pools.ts'
import { createPushSecretStore } from './push-secret-store.ts'
import { createPostgresReader } from './reader.ts'
import { createRememberedRules } from './remembered-rules.ts'
import { shorterThan } from './shorter-than.ts'
import { countPushRepeat } from './sql/count-push-repeat.ts'
import { findIdentity } from './sql/find-identity.ts'
import { storeCall } from './store-call.ts'
import { createWakeUp } from './wake-up.ts'
import { createWritability } from './writability.ts'

export interface OpenLedgerOptions {
  readonly databaseUrl: string
  readonly codec: Codec
  /** Told of problems that no caller waits for: a broken idle connection, a lost wake-up. */
  readonly report: (problem: unknown) => void
  readonly readersMax?: number
  readonly connectTimeoutMs?: number
  /** How long an append waits for another one before it looks for a stalled holder (L5). */
  readonly lockTimeoutMs?: number
  readonly queueLimits?: Partial<QueueLimits>
}

export interface OpenLedger {
  readonly ledger: Ledger
  readonly reader: LedgerReader
  /** Waits for what is being recorded, then ends all connections. */
  readonly close: () => Promise<void>
}

const defaultLimits: QueueLimits = {
  waitingBytesMax: 67_108_864,
  groupCountMax: 2_000,
  groupBytesMax: 16_777_216,
}

/**
 * Connects and checks that the database is migrated.
 *
 * Errors: throws `store_unavailable` when Postgres does not answer; an `Error` that says what to run
 * when the database is not ready for this version.
 */
export async function openLedger(options: OpenLedgerOptions): Promise<OpenLedger> {
  const { codec, report, lockTimeoutMs = 2_000 } = options
  const pools = createPools({
    databaseUrl: options.databaseUrl,
    readersMax: options.readersMax ?? 8,
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    lockTimeoutMs,
    report,
  })
  try {
    await checkMigrated(pools.reader)
    const { secretSalt, head } = await findIdentity(pools.reader)
    const keys = createCorrelationKeys(codec)
    const preparation = createPreparation(codec, secretSalt)
    const partitions = createPartitions(pools.reader, report)
    await partitions.ensure(head)
    const wakeUp = createWakeUp(pools.reader, report)
    let headSeen = head
    const writability = createWritability(() => performance.now())
    const store = createGroupStore({
      writer: pools.writer,
      reader: pools.reader,
      writing: {
        codec,
        keys,
        rules: createRememberedRules(keys),
        preparation,
        ensurePartitions: partitions.ensure,
        headSeen: () => headSeen,
      },
      stalledMs: lockTimeoutMs / 2,
      committed: (newHead) => {
        headSeen = newHead
        wakeUp(newHead)
      },
    })
    const queue = createAppendQueue(writability.watch(store), { ...defaultLimits, ...options.queueLimits })
    const reader = createPostgresReader(pools.reader, keys)
    /** L7: whoever asks which log this is hears that it became shorter. */
    const identity: LedgerReader['identity'] = async () => {
      const seen = headSeen
      const found = await reader.identity()
      if (found.head < seen) throw shorterThan(seen)
      headSeen = Math.max(headSeen, found.head)
      return found
    }
    return {
      ledger: createLedger({
        preparation,
        queue,
        reader,
        pushSecrets: createPushSecretStore(pools.reader, { codec, keys }),
        pushRepeats: { add: (workerId) => storeCall(() => countPushRepeat(pools.reader, { workerHash: keys.worker(workerId), workerId })) },
        pause: () => nextTurn(),
        isEqual: (one, other) => one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other)),
      }),
      reader: {
        ...reader,
        identity,
        durability: async () => {
          writability.require()
          return reader.durability()
        },
      },
      close: async () => {
        await queue.drained()
        await pools.end()
      },
    }
  } catch (error) {
    await pools.end()
    throw error
  }
}
