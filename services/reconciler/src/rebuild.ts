/**
 * `npm run rebuild`: folds the whole ledger beside the tables in use and lets the result take their
 * place; with `--check` it changes nothing and says whether every view is the same, byte by byte.
 *
 * Services may run meanwhile, and it repairs what was folded of a ledger that has an earlier state now (L7). Environment: `DATABASE_ADMIN_URL`, `DATABASE_URL`,
 * `RECONCILER_DATABASE_URL` as for `npm run migrate`. Exit code 1 when a view differs.
 */
import { parseArgs } from 'node:util'
import { foldVersion } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { pino } from 'pino'
import { besideSchemaName, createBeside, dropBeside, swapBeside } from './adapters/postgres/beside.ts'
import { createPostgresFactStore } from './adapters/postgres/fact-store.ts'
import { createPostgresFeedReader } from './adapters/postgres/feed-reader.ts'
import { schemaName } from './adapters/postgres/migrations.ts'
import { createPool } from './adapters/postgres/pool.ts'
import { createPostgresSlotStore } from './adapters/postgres/slot-store.ts'
import type { Place } from './app/apply-from-ledger.ts'
import { compareViews, foldToHead, type Comparison } from './app/rebuild.ts'

export interface RebuildOptions {
  readonly adminUrl: string
  readonly feedUrl: string
  readonly graceMs: number
  readonly silentAfterMs: number
  readonly say: (line: string) => void
}

/** A rebuild holds its own tables alone; nobody takes over. */
const leaseTtlMs = 86_400_000
/** While events keep coming, live and rebuilt are seldom at the same position. */
const attemptsMax = 50

/** The views in use come from a fresh fold; the former tables are gone. */
export async function rebuild(options: RebuildOptions): Promise<void> {
  await withBeside(options, async ({ catchUp, headOf }) => {
    for (let attempt = 1; ; attempt += 1) {
      const position = await catchUp()
      if (await swapBeside(options.adminUrl, headOf)) {
        options.say(`The views are of a fresh fold up to position ${position}.`)
        return
      }
      if (attempt === attemptsMax) throw new Error('Events come faster than they are folded. Try again when there are fewer.')
    }
  })
}

/** Whether the views in use are what a fresh fold gives. */
export async function checkRebuild(options: RebuildOptions): Promise<Comparison> {
  return withBeside(options, async ({ catchUp, rebuilt, live, fold }) => {
    for (let attempt = 1; ; attempt += 1) {
      const position = await catchUp()
      const before = await live.queue()
      const isLevel = (await live.progress()).appliedPosition === position && before.settledPosition === position
      const comparison = isLevel ? await compareViews(live, rebuilt, fold) : undefined
      // A difference counts only when nothing was applied while the views were compared.
      const after = (await live.progress()).appliedPosition
      if (comparison !== undefined && (comparison.difference === undefined || after === position)) return comparison
      if (attempt === attemptsMax) throw new Error('Events keep coming: live and rebuilt were never at the same position.')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
}

type Store = ReturnType<typeof createPostgresFactStore>

async function withBeside<Result>(
  { adminUrl, feedUrl, graceMs, silentAfterMs, say }: RebuildOptions,
  work: (beside: {
    readonly rebuilt: Store
    readonly live: Store
    readonly fold: { readonly codec: typeof nodeCodec; readonly settings: { readonly graceMs: number; readonly silentAfterMs: number } }
    /** Answers the last position that is applied then. */
    readonly catchUp: () => Promise<number>
    /** The last position of the ledger. */
    readonly headOf: () => Promise<number>
  }) => Promise<Result>,
): Promise<Result> {
  const log = pino({ level: 'warn' })
  await createBeside(adminUrl)
  const pools = {
    rebuilt: createPool({ url: adminUrl, name: 'a2a-ledger-rebuild', connectionsMax: 4, schema: besideSchemaName }),
    live: createPool({ url: adminUrl, name: 'a2a-ledger-rebuild', connectionsMax: 4, schema: schemaName }),
    feed: createPool({ url: feedUrl, name: 'a2a-ledger-rebuild', connectionsMax: 2 }),
  }
  const feed = createPostgresFeedReader({ pool: pools.feed, url: feedUrl, decode: nodeCodec.utf8Decode })
  try {
    const rebuilt = createPostgresFactStore(pools.rebuilt)
    const live = createPostgresFactStore(pools.live)
    const slots = createPostgresSlotStore({ pool: pools.rebuilt, session: pools.rebuilt, foldVersion, leaseTtlMs })
    const fold = { codec: nodeCodec, settings: { graceMs, silentAfterMs } }
    const places = (await slots.take('rebuild', { countMax: Infinity, held: [] })).leases.map((lease): Place => ({ lease }))
    if (places.length === 0) throw new Error('Another rebuild is running.')
    return await work({
      rebuilt,
      live,
      fold,
      headOf: feed.head,
      catchUp: async () => {
        const position = await foldToHead({ feed, store: rebuilt, slots, fold, log }, places)
        say(`Folded up to position ${position}.`)
        return position
      },
    })
  } finally {
    await feed.close()
    await Promise.all(Object.values(pools).map((pool) => pool.end()))
    await dropBeside(adminUrl)
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
  const {
    DATABASE_URL = '',
    RECONCILER_DATABASE_URL = DATABASE_URL,
    DATABASE_ADMIN_URL = RECONCILER_DATABASE_URL,
    GRACE_MS = '30000',
    SILENT_AFTER_MS = '86400000',
  } = process.env
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const options: RebuildOptions = {
    adminUrl: DATABASE_ADMIN_URL,
    feedUrl: DATABASE_URL,
    graceMs: Number(GRACE_MS),
    silentAfterMs: Number(SILENT_AFTER_MS),
    say,
  }
  if (DATABASE_URL === '') {
    process.stderr.write('DATABASE_URL is not set. It names the database whose ledger is folded.\n')
    process.exit(1)
  }
  if (values.check) {
    const { taskCount, workerCount, difference } = await checkRebuild(options)
    if (difference === undefined) say(`${taskCount} tasks and ${workerCount} workers: every view is the same, byte by byte.`)
    else {
      say(`${difference.of} differs.\n  live:    ${difference.live}\n  rebuilt: ${difference.rebuilt}`)
      process.exit(1)
    }
  } else await rebuild(options)
}
