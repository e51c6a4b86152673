/**
 * What is known at one point of a batch: the tables of storage, and on top what the events before
 * that point taught. It notes what it was asked for and storage has not told yet.
 */
import type {
  Alias,
  KnownCorrelations,
  KnownTable,
  MessageLink,
  MissingCorrelations,
  NewestOfTask,
  OpenClaim,
  StreamLink,
  TaskLink,
} from './known-correlations.ts'
import { defaultMesh } from '../event/mesh-policy.ts'
import type { CorrelationRule } from './rule.ts'

type Value<Table extends KnownTable> = KnownCorrelations[Table] extends ReadonlyMap<string, infer V> ? V : never

interface Layer<V> {
  /** What the batch so far taught, else what storage told, else `fallback` and a note. */
  readonly get: (key: string) => V
  /** False while `get` can only answer with the fallback: nothing should be concluded from it. */
  readonly isKnown: (key: string) => boolean
  readonly set: (key: string, value: V) => void
}

export interface LadderView {
  readonly taskLinks: Layer<readonly TaskLink[]>
  readonly messageLinks: Layer<readonly MessageLink[]>
  readonly dispatched: Layer<boolean>
  readonly dispatchedTo: Layer<number>
  readonly dispatchNamed: Layer<boolean>
  readonly streamLinks: Layer<StreamLink | undefined>
  readonly openClaims: Layer<readonly OpenClaim[]>
  readonly syntheticStreams: Layer<boolean>
  readonly aliases: Layer<readonly Alias[]>
  readonly newestOfTask: Layer<NewestOfTask | undefined>
  readonly restarts: Layer<number>
  readonly lastOfStream: Layer<number>
  readonly meshOfWorker: Layer<string>
  readonly rulesOfMesh: Layer<readonly CorrelationRule[]>
  readonly missing: MissingCorrelations
  readonly isComplete: () => boolean
}

/** A view at the start of a batch. */
export const createLadderView = (known: KnownCorrelations): LadderView => {
  const missing: { readonly [Table in KnownTable]: Set<string> } = {
    taskLinks: new Set(),
    messageLinks: new Set(),
    dispatched: new Set(),
    dispatchedTo: new Set(),
    dispatchNamed: new Set(),
    streamLinks: new Set(),
    openClaims: new Set(),
    syntheticStreams: new Set(),
    aliases: new Set(),
    newestOfTask: new Set(),
    restarts: new Set(),
    lastOfStream: new Set(),
    meshOfWorker: new Set(),
    rulesOfMesh: new Set(),
  }
  const layer = <Table extends KnownTable>(table: Table, fallback: Value<Table>): Layer<Value<Table>> => {
    const stored = known[table] as ReadonlyMap<string, Value<Table>>
    const taught = new Map<string, Value<Table>>()
    return {
      get: (key) => {
        if (taught.has(key)) return taught.get(key) as Value<Table>
        if (stored.has(key)) return stored.get(key) as Value<Table>
        missing[table].add(key)
        return fallback
      },
      isKnown: (key) => taught.has(key) || stored.has(key),
      set: (key, value) => void taught.set(key, value),
    }
  }
  return {
    taskLinks: layer('taskLinks', []),
    messageLinks: layer('messageLinks', []),
    dispatched: layer('dispatched', false),
    dispatchedTo: layer('dispatchedTo', 0),
    dispatchNamed: layer('dispatchNamed', false),
    streamLinks: layer('streamLinks', undefined),
    openClaims: layer('openClaims', []),
    syntheticStreams: layer('syntheticStreams', false),
    aliases: layer('aliases', []),
    newestOfTask: layer('newestOfTask', undefined),
    restarts: layer('restarts', 0),
    lastOfStream: layer('lastOfStream', 0),
    meshOfWorker: layer('meshOfWorker', defaultMesh),
    rulesOfMesh: layer('rulesOfMesh', []),
    missing,
    isComplete: () => Object.values(missing).every((keys) => keys.size === 0),
  }
}
