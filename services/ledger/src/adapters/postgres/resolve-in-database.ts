/** The correlation ladder against the tables of this database: ask, look up, ask again. */
import {
  nothingKnown,
  resolveCorrelations,
  type BatchEntry,
  type CorrelationKeys,
  type CorrelationResolution,
  type FetchedCorrelations,
  type KnownTable,
} from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { findAliases } from './sql/find-aliases.ts'
import { findDispatchNamed } from './sql/find-dispatch-named.ts'
import { findDispatched } from './sql/find-dispatched.ts'
import { findDispatchedTo } from './sql/find-dispatched-to.ts'
import { findLastOfStreams } from './sql/find-last-of-streams.ts'
import type { RememberedRules } from './remembered-rules.ts'
import { findMeshesOfWorkers } from './sql/find-meshes-of-workers.ts'
import { findMessageLinks } from './sql/find-message-links.ts'
import { findNewestOfTasks } from './sql/find-newest-of-tasks.ts'
import { findOpenClaims } from './sql/find-open-claims.ts'
import { findRestarts } from './sql/find-restarts.ts'
import { findRulesOfMeshes } from './sql/find-rules-of-meshes.ts'
import { findStreamLinks } from './sql/find-stream-links.ts'
import { findSyntheticStreams } from './sql/find-synthetic-streams.ts'
import { findTaskLinks } from './sql/find-task-links.ts'

type Lookups = {
  readonly [Table in KnownTable]: (client: ClientBase, keys: ReadonlySet<string>) => Promise<Iterable<[string, MapValue<Table>]>>
}
type MapValue<Table extends KnownTable> = FetchedCorrelations[Table] extends Map<string, infer Value> ? Value : never

const lookups: Lookups = {
  taskLinks: findTaskLinks,
  messageLinks: findMessageLinks,
  dispatched: findDispatched,
  dispatchedTo: findDispatchedTo,
  dispatchNamed: findDispatchNamed,
  streamLinks: findStreamLinks,
  openClaims: findOpenClaims,
  syntheticStreams: findSyntheticStreams,
  aliases: findAliases,
  newestOfTask: findNewestOfTasks,
  restarts: findRestarts,
  lastOfStream: findLastOfStreams,
  meshOfWorker: findMeshesOfWorkers,
  rulesOfMesh: findRulesOfMeshes,
}

export interface ResolveContext {
  readonly keys: CorrelationKeys
  readonly head: number
  readonly rulesPosition: number
  readonly rules: RememberedRules
}

/** Places `batch` behind `head`. Two rounds of look-ups are the rule; each answers what it was asked. */
export async function resolveInDatabase(
  client: ClientBase,
  batch: readonly BatchEntry[],
  context: ResolveContext,
): Promise<Extract<CorrelationResolution, { readonly outcome: 'resolved' }>> {
  const { rules, rulesPosition } = context
  const known = nothingKnown()
  rules.recall(known, batch, rulesPosition)
  for (;;) {
    const resolution = resolveCorrelations(batch, known, context)
    if (resolution.outcome === 'resolved') {
      rules.keep(known, rulesPosition)
      return resolution
    }
    for (const table of Object.keys(lookups) as KnownTable[]) {
      await fetch(client, known, table, resolution.missing[table])
    }
  }
}

async function fetch<Table extends KnownTable>(
  client: ClientBase,
  known: FetchedCorrelations,
  table: Table,
  keys: ReadonlySet<string>,
): Promise<void> {
  if (keys.size === 0) return
  const answers = known[table] as Map<string, MapValue<Table>>
  for (const [key, value] of await lookups[table](client, keys)) answers.set(key, value)
}
