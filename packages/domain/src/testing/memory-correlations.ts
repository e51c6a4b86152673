/** A store for the correlation ladder in memory: what Postgres does with tables, done with arrays. */
import type { LinkRecord } from '../correlation/lessons.ts'
import type { CorrelationKeys } from '../correlation/correlation-keys.ts'
import {
  nothingKnown,
  type FetchedCorrelations,
  type MissingCorrelations,
} from '../correlation/known-correlations.ts'
import { defaultMesh } from '../event/mesh-policy.ts'
import {
  resolveCorrelations,
  type BatchEntry,
  type Placement,
} from '../correlation/resolve-correlations.ts'

type Resolution = Extract<ReturnType<typeof resolveCorrelations>, { readonly outcome: 'resolved' }>

export interface MemoryCorrelations {
  /** Appends one batch; answers where each entry went and what became of links on the way. */
  readonly append: (batch: readonly BatchEntry[]) => {
    readonly placements: readonly Placement[]
    readonly records: readonly LinkRecord[]
  }
}

/** An empty ledger. */
export const createMemoryCorrelations = (keys: CorrelationKeys): MemoryCorrelations => {
  const resolutions: Resolution[] = []
  const events: { task: string | undefined; stream: string; position: number; entry: BatchEntry }[] = []
  let head = 0

  const lessons = <Kind extends keyof Resolution['lessons']>(kind: Kind): Resolution['lessons'][Kind][number][] =>
    resolutions.flatMap((resolution) => [...resolution.lessons[kind]])
  const newest = <T extends { readonly position: number }>(rows: readonly T[]): T[] =>
    rows.toSorted((one, other) => other.position - one.position)

  const answer = (known: FetchedCorrelations, missing: MissingCorrelations): void => {
    for (const key of missing.taskLinks) {
      known.taskLinks.set(key, newest(lessons('taskLinks').filter(({ task }) => task === key)))
    }
    for (const key of missing.messageLinks) {
      const links = newest(lessons('messageLinks').filter(({ message }) => message === key))
      const bySender = Map.groupBy(links, ({ correlationId }) => correlationId)
      known.messageLinks.set(
        key,
        [...bySender.values()].flatMap(([last, ...earlier]) =>
          last === undefined ? [] : [{ ...last, firstMs: Math.min(last.witnessMs, ...earlier.map(({ witnessMs }) => witnessMs)) }],
        ),
      )
    }
    for (const key of missing.dispatched) {
      known.dispatched.set(key, lessons('dispatches').some(({ correlation }) => correlation === key))
    }
    for (const key of missing.dispatchedTo) {
      const there = lessons('dispatches').filter(({ correlation, worker }) => correlation + worker === key)
      known.dispatchedTo.set(key, newest(there)[0]?.position ?? 0)
    }
    for (const key of missing.dispatchNamed) {
      const isNamed = lessons('dispatches').some(
        ({ correlation, worker, namedTask }) => `${correlation}${worker}${namedTask}` === key,
      )
      known.dispatchNamed.set(key, isNamed)
    }
    for (const key of missing.openClaims) {
      known.openClaims.set(key, lessons('openClaims').filter(({ claim }) => claim === key))
    }
    for (const key of missing.syntheticStreams) {
      known.syntheticStreams.set(key, lessons('syntheticStreams').some(({ stream }) => stream === key))
    }
    for (const key of missing.streamLinks) {
      known.streamLinks.set(key, lessons('streamLinks').find(({ stream }) => stream === key))
    }
    for (const key of missing.aliases) {
      known.aliases.set(key, newest(lessons('aliases').filter(({ from }) => keys.correlation(from) === key)))
    }
    for (const key of missing.newestOfTask) {
      const last = events.findLast(({ task }) => task === key)
      known.newestOfTask.set(
        key,
        last && {
          position: last.position,
          digest: last.entry.digest,
          witnessMs: last.entry.witnessMs,
          isDerived: last.entry.derivedFrom !== undefined,
          ...(last.entry.observation.shown !== undefined && { shown: last.entry.observation.shown }),
        },
      )
    }
    for (const key of missing.restarts) {
      known.restarts.set(key, newest(lessons('restarts').filter(({ worker }) => worker === key))[0]?.position ?? 0)
    }
    for (const key of missing.meshOfWorker) {
      const mesh = newest(lessons('meshesOfWorkers').filter(({ worker }) => worker === key))[0]?.mesh
      known.meshOfWorker.set(key, mesh ?? defaultMesh)
    }
    for (const key of missing.rulesOfMesh) {
      known.rulesOfMesh.set(key, newest(lessons('rulesOfMeshes').filter(({ mesh }) => mesh === key))[0]?.rules ?? [])
    }
    for (const key of missing.lastOfStream) {
      const aliases = Map.groupBy(newest(lessons('aliases')), ({ from }) => from)
      const standing = [...aliases].filter(([, [last]]) => last?.isLinked === true && keys.correlation(last.to) === key)
      const parts = new Set([key, ...standing.map(([from]) => keys.correlation(from))])
      const positions = events.filter(({ stream }) => parts.has(stream)).map(({ position }) => position)
      const links = [...lessons('aliases'), ...lessons('moves')]
        .filter(({ from, to }) => keys.correlation(from) === key || keys.correlation(to) === key)
        .map(({ position }) => position)
      known.lastOfStream.set(key, Math.max(0, ...positions, ...links))
    }
  }

  const resolve = (batch: readonly BatchEntry[]): Resolution => {
    const known = nothingKnown()
    for (;;) {
      const resolution = resolveCorrelations(batch, known, { keys, head })
      if (resolution.outcome === 'resolved') return resolution
      answer(known, resolution.missing)
    }
  }

  return {
    append: (batch) => {
      const resolution = resolve(batch)
      for (const [index, placement] of resolution.placements.entries()) {
        const entry = batch[index]
        if (placement.outcome !== 'placed' || entry === undefined) continue
        const { role, workerId, taskId } = entry.observation
        const task = role === 'worker-fact' || workerId === undefined || taskId === undefined ? undefined : keys.task(workerId, taskId)
        events.push({ task, stream: keys.correlation(placement.correlationId), position: placement.position, entry })
      }
      resolutions.push(resolution)
      head = resolution.head
      return resolution
    },
  }
}
