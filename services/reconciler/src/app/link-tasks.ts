/**
 * A person says that a synthetic task is part of a logical one, or that it is not (K6): recorded in the
 * ledger, which does it, since it places what comes later.
 */
import { isReservedCorrelationId, LedgerError, serverTaskOf, suggestedLink, type Codec, type SuggestedLink } from '@a2a-ledger/domain'
import type { Applied } from './applied.ts'
import { catchUp, reach } from './catch-up.ts'
import type { FactStore, FeedReader, LedgerClient, LinkChange } from './ports.ts'

export interface LinkPorts {
  readonly feed: Pick<FeedReader, 'head'>
  readonly store: Pick<FactStore, 'tasks' | 'link' | 'listLinks' | 'listSuggestions'>
  readonly ledger: LedgerClient
  readonly applied: Applied
  readonly fold: { readonly codec: Codec }
}

/** Who says so, and why. */
interface Said {
  readonly by: string
  readonly because?: string | undefined
}

export interface LinkView {
  readonly from: string
  readonly to: string
  /** Of the event that says so. */
  readonly position: number
  readonly by?: string
  readonly because?: string
}

/** Somebody else may link or undo the same at the same moment; then it is looked at again. */
const attemptsMax = 3

/**
 * The synthetic task `from` is part of `to`, which may be a correlation ID that nothing was recorded
 * under yet.
 *
 * Idempotent: a link that stands is answered as it is.
 * Errors: throws `task_not_found`, `link_conflict`, `parameter_invalid`, `stream_moved`,
 * `ledger_unavailable`, `not_caught_up`.
 */
export async function linkTask(ports: LinkPorts, asked: Said & { readonly from: string; readonly to: string }): Promise<LinkView> {
  const { from, to } = asked
  const server = serverTaskOf(from)
  if (server === undefined) {
    throw new LedgerError('parameter_invalid', '`from` is no synthetic ID: ~<workerId>/<taskId>, %, / and ~ in them as %25, %2F and %7E.')
  }
  if (isReservedCorrelationId(to)) {
    throw new LedgerError('parameter_invalid', '`to` is a synthetic ID. Link both to a correlation ID of your own.')
  }
  return settled(ports, from, async (link) => {
    if (link?.isLinked === true) {
      if (link.to === to) return viewOf(link)
      throw new LedgerError('link_conflict', `It is linked to ${JSON.stringify(link.to)} since position ${link.position}. Undo that first.`)
    }
    const lookup = (await ports.store.tasks([from])).content.get(from)
    if (lookup?.outcome !== 'found') throw new LedgerError('task_not_found', 'Nothing that was applied so far is in this synthetic task.')
    return { type: 'ledger.correlation-linked', from, to, server, former: link?.position ?? 0, ...said(asked) }
  })
}

/**
 * The synthetic task `from` is a task of its own again.
 *
 * Idempotent: the last word is answered as it is, where that was to undo it.
 * Errors: throws `link_not_found`, `parameter_invalid`, `stream_moved`, `ledger_unavailable`,
 * `not_caught_up`.
 */
export async function unlinkTask(ports: LinkPorts, asked: Said & { readonly from: string; readonly to: string }): Promise<LinkView> {
  const { from, to } = asked
  const server = serverTaskOf(from)
  return settled(ports, from, async (link) => {
    if (link === undefined || server === undefined || link.to !== to) {
      throw new LedgerError('link_not_found', `It is ${link?.isLinked === true ? `linked to ${JSON.stringify(link.to)}` : 'not linked'}.`)
    }
    if (!link.isLinked) return viewOf(link)
    return { type: 'ledger.correlation-unlinked', from, to, server, former: link.position, ...said(asked) }
  })
}

/** What is to be recorded about a link. */
interface Wanted {
  readonly type: 'ledger.correlation-linked' | 'ledger.correlation-unlinked'
  readonly from: string
  readonly to: string
  readonly server: { readonly workerId: string; readonly taskId: string }
  /** Position of the last word on this link: what makes a second link another event. */
  readonly former: number
  readonly said: Said
}

const said = ({ by, because }: Said): { readonly said: Said } => ({ said: { by, ...(because !== undefined && { because }) } })

const viewOf = ({ from, to, position, by, because }: LinkChange): LinkView => ({
  from,
  to,
  position,
  ...(by !== undefined && { by }),
  ...(because !== undefined && { because }),
})

/** Decides on what is known, records it, and decides again where the ledger knew more. */
async function settled(
  ports: LinkPorts,
  from: string,
  decide: (link: LinkChange | undefined) => Promise<LinkView | Wanted>,
): Promise<LinkView> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    await catchUp(ports.feed, ports.applied)
    const wanted = await decide(await ports.store.link(from))
    if (!('type' in wanted)) return wanted
    const position = await record(ports, wanted)
    if (position === undefined) continue
    await reach(ports.applied, position)
    const { to, said: own } = wanted
    return { from, to, position, by: own.by, ...(own.because !== undefined && { because: own.because }) }
  }
  throw new LedgerError('stream_moved', 'Others are changing this link at the same time. Look again, then repeat.')
}

/** Its position; nothing where the ledger knows of a change that is not applied here. */
async function record({ ledger, fold }: LinkPorts, wanted: Wanted): Promise<number | undefined> {
  const { type, from, to, server, former } = wanted
  const outcome = await ledger.append({
    attributes: {
      specversion: '1.0',
      id: fold.codec.sha256Hex(JSON.stringify([type, from, to, former])).slice(0, 32),
      source: 'urn:a2a-ledger:reconciler',
      type,
      correlationid: to,
      workerid: server.workerId,
      taskid: server.taskId,
    },
    data: { from, to, ...server, ...wanted.said },
  })
  switch (outcome.outcome) {
    case 'recorded':
    case 'duplicate':
      return outcome.position
    case 'stale':
      return undefined
    case 'quarantined':
    case 'rejected':
      throw new LedgerError('parameter_invalid', `The ledger does not take this link: ${outcome.detail}`)
    case 'conflict':
      throw new LedgerError('internal', 'A link of this deployment cannot be a conflict.')
  }
}

export interface SuggestionPage {
  readonly links: readonly SuggestedLink[]
  /** Positions of the later and the earlier mark of the last one. */
  readonly next: string | null
}

/** Suggested links, in the order in which the second of the two tasks was seen. */
export async function listSuggestions(
  store: Pick<FactStore, 'listSuggestions'>,
  after: string,
  limit: number,
): Promise<SuggestionPage> {
  const [later = 0, earlier = 0] = after.split('-').map(Number)
  const rows = await store.listSuggestions([later, earlier], limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    links: page.map(suggestedLink),
    next: rows.length > limit && last !== undefined ? `${last.positions[1]}-${last.positions[0]}` : null,
  }
}

export interface LinkPage {
  readonly links: readonly LinkView[]
  readonly next: string | null
}

/** Links that stand, in the order in which they were made. */
export async function listLinks(store: Pick<FactStore, 'listLinks'>, after: string, limit: number): Promise<LinkPage> {
  const rows = await store.listLinks(Number(after.split('-', 1)[0]), limit + 1)
  const page = rows.slice(0, limit)
  return { links: page.map(viewOf), next: rows.length > limit ? String(page.at(-1)?.position) : null }
}
