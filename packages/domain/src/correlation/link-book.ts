/**
 * What a walk along a batch writes about links (K2, K6): whose a server task is from here on, and what
 * becomes of its synthetic stream. Every change is told to the view, kept as a lesson, and, where
 * events change their logical task by it, recorded.
 */
import { syntheticCorrelationId } from './correlation-id.ts'
import type { CorrelationKeys } from './correlation-keys.ts'
import type { Taught } from './known-correlations.ts'
import type { LadderView } from './ladder-view.ts'
import type { GatheredLessons, LinkRecord, ServerTask } from './lessons.ts'
import { aliasesOf, isUndoneByHand, ownerOf, standingAlias, type Owner } from './ownership.ts'
import type { Teaching } from './teaching.ts'

type ByHand = Extract<Teaching, { readonly kind: 'link' | 'unlink' }>

export interface LinkBook {
  /**
   * The task is of that logical task from position `because` on. Was it nobody's, so is what came
   * before, in its synthetic stream (K6), unless a person said that it is not.
   */
  readonly bind: (server: ServerTask, to: { readonly correlationId: string; readonly taught: Taught; readonly because: number }) => void
  /**
   * What only a claim, a message or a link put into `from` about the task, from `since` on, is not of
   * `from`: it is of `to`, else in its synthetic stream again.
   */
  readonly takeBack: (
    server: ServerTask,
    from: string,
    more: { readonly since: number; readonly because: number; readonly to?: Owner },
  ) => void
  /** Position of the alias in the way of what a person asks for; nothing: it can be done. */
  readonly obstacleTo: (asked: ByHand) => number | undefined
  /** Does what a person asks for, recorded at `position`. */
  readonly doByHand: (asked: ByHand, position: number) => void
  /** The synthetic stream of this ID holds events from here on. */
  readonly noteSyntheticStream: (correlationId: string, position: number) => void
  readonly records: readonly LinkRecord[]
}

/** A book for one walk; `next` gives out a position. */
export const createLinkBook = (
  view: LadderView,
  keys: CorrelationKeys,
  lessons: GatheredLessons,
  next: () => number,
): LinkBook => {
  const records: LinkRecord[] = []

  const pointTask = (server: ServerTask, link: { readonly correlationId?: string; readonly taught: Taught; readonly position: number }): void => {
    const task = keys.task(server.workerId, server.taskId)
    view.taskLinks.set(task, [link, ...view.taskLinks.get(task)])
    lessons.taskLinks.push({ task, ...link })
  }

  /** Both streams have something newer (L14). */
  const touch = (position: number, ...correlationIds: readonly string[]): void => {
    for (const correlationId of correlationIds) view.lastOfStream.set(keys.correlation(correlationId), position)
  }

  const setAlias = (
    server: ServerTask,
    alias: { readonly to: string; readonly position: number; readonly isLinked: boolean; readonly isByHand: boolean },
  ): void => {
    const from = syntheticCorrelationId(server.workerId, server.taskId)
    view.aliases.set(keys.correlation(from), [alias, ...aliasesOf(view, keys, server)])
    lessons.aliases.push({ from, ...alias })
    touch(alias.position, from, alias.to)
  }

  const noteSyntheticStream = (correlationId: string, position: number): void => {
    const stream = keys.correlation(correlationId)
    if (view.syntheticStreams.get(stream)) return
    view.syntheticStreams.set(stream, true)
    lessons.syntheticStreams.push({ stream, position })
  }

  const move = (server: ServerTask, moved: { readonly from: string; readonly to: string; readonly since: number; readonly because: number }): void => {
    const position = next()
    const { from, to, since } = moved
    records.push({ kind: 'moved', ...server, ...moved, position })
    lessons.moves.push({ task: keys.task(server.workerId, server.taskId), from, to, since, position })
    touch(position, from, to)
  }

  const endAlias = (server: ServerTask, because: number): void => {
    const standing = standingAlias(view, keys, server)
    if (standing === undefined) return
    const position = next()
    const from = syntheticCorrelationId(server.workerId, server.taskId)
    records.push({ kind: 'unlinked', ...server, from, to: standing.to, former: standing.position, because, position })
    setAlias(server, { to: standing.to, position, isLinked: false, isByHand: false })
  }

  const startAlias = (server: ServerTask, to: string, because: number): void => {
    const former = aliasesOf(view, keys, server)[0]?.position ?? 0
    const position = next()
    const from = syntheticCorrelationId(server.workerId, server.taskId)
    records.push({ kind: 'linked', ...server, from, to, former, because, position })
    setAlias(server, { to, position, isLinked: true, isByHand: false })
  }

  const bind: LinkBook['bind'] = (server, { correlationId, taught, because }) => {
    const wasNobodys = ownerOf(view, keys, server) === undefined
    pointTask(server, { correlationId, taught, position: because })
    const from = syntheticCorrelationId(server.workerId, server.taskId)
    if (!wasNobodys || !view.syntheticStreams.get(keys.correlation(from))) return
    if (!isUndoneByHand(view, keys, server, correlationId)) startAlias(server, correlationId, because)
  }

  const takeBack: LinkBook['takeBack'] = (server, from, { since, because, to }) => {
    const back = to?.correlationId ?? syntheticCorrelationId(server.workerId, server.taskId)
    const standing = standingAlias(view, keys, server)
    // An older alias was not learned from what is in doubt now.
    const isDoubted = standing?.to === from && standing.position > since
    if (isDoubted) endAlias(server, because)
    if (isDoubted && to !== undefined) startAlias(server, to.correlationId, because)
    move(server, { from, to: back, since, because })
    pointTask(server, { ...(to ?? { taught: 'claim' }), position: because })
    if (to === undefined) noteSyntheticStream(back, because)
  }

  return {
    bind,
    takeBack,
    noteSyntheticStream,
    obstacleTo: (asked) => {
      const [newest] = aliasesOf(view, keys, asked)
      if (asked.kind === 'link') return newest?.isLinked === true ? newest.position : undefined
      return newest?.isLinked === true && newest.to === asked.to ? undefined : (newest?.position ?? 0)
    },
    doByHand: (asked, position) => {
      const { kind, to, workerId, taskId } = asked
      const server = { workerId, taskId }
      const standing = standingAlias(view, keys, server)
      setAlias(server, { to, position, isLinked: kind === 'link', isByHand: true })
      if (kind === 'link' || standing === undefined) return
      // What the link itself placed since goes back with it; what answered a send of `to` stays there.
      const links = view.taskLinks.get(keys.task(workerId, taskId))
      const end = links.findIndex(({ correlationId }) => correlationId !== to)
      const bound = end < 0 ? links : links.slice(0, end)
      const since = bound.at(-1)?.position
      if (since === undefined || bound[0]?.taught === 'answer') return
      takeBack(server, to, { since, because: position })
    },
    records,
  }
}
