/** From the path of a call to the address it is passed on to. */
import { LedgerError, readCardAddresses } from '@a2a-ledger/domain'
import type { WorkerAddress } from '../../app/ports.ts'
import { joinUrl, readPublicPath, restOf } from '../../app/public-address.ts'
import type { PushTarget } from '../../app/push-tee.ts'
import { collectAnswer, decodedText } from './collect-answer.ts'
import type { Edge } from './edge.ts'

export interface Route {
  readonly workerId: string
  readonly worker: WorkerAddress
  /** Where the call goes; for a card there may be a second place to look at. */
  readonly urls: readonly [URL, ...URL[]]
  /** Behind the interface, without query: what tells an HTTP+JSON call. */
  readonly path: string
  /** Of a push that the worker sends: it goes on to where the client wanted it. */
  readonly push?: PushTarget
}

/** Errors: throws `parameter_invalid`, `worker_not_enrolled`, `route_not_found`. */
export async function routeCall(edge: Edge, target: string): Promise<Route> {
  const path = readPublicPath(target)
  if (path.kind === 'unusable') throw new LedgerError('parameter_invalid', path.because)
  const { workerId } = path
  const worker = await edge.directory.find(workerId)
  if (worker === undefined) {
    throw new LedgerError('worker_not_enrolled', `PUT /v1/workers/${encodeURIComponent(workerId)} at the reconciler enrols it, with {"interface":{"url":…}}.`)
  }
  if (path.kind === 'push') {
    const push = edge.tee.targetOf(workerId, path.seal)
    if (push === undefined) throw new LedgerError('route_not_found', 'No push configuration of this worker was pointed here, or by a proxy with another PROXY_KEY.')
    return { workerId, worker, urls: [joinUrl(push.url, '', path.query)], path: '/', push }
  }
  const { rest, query } = path
  const base = path.kind === 'base' ? worker.url : await interfaceOf(edge, workerId, worker, path.key)
  const card = path.kind === 'base' ? /^\/[.]well-known\/agent(?:-card)?[.]json$/.exec(rest)?.[0] : undefined
  const urls = card === undefined ? ([joinUrl(base, rest, query)] as const) : cardUrlsOf(worker, card, query)
  return { workerId, worker, urls, path: rest === '' ? '/' : rest }
}

/** Where a card may be: where the enrolment says, else below the interface, else at the root of its host. */
export function cardUrlsOf(worker: WorkerAddress, wellKnown: string, query: string): readonly [URL, ...URL[]] {
  if (worker.cardUrl !== undefined) return [joinUrl(worker.cardUrl, '', query)]
  const below = joinUrl(worker.url, wellKnown, query)
  const atRoot = joinUrl(new URL('/', worker.url).href, wellKnown, query)
  return below.href === atRoot.href ? [below] : [below, atRoot]
}

/** The address behind a key; where no card is known that names it, the worker is asked for its card. */
async function interfaceOf(edge: Edge, workerId: string, worker: WorkerAddress, key: string): Promise<string> {
  const known = edge.directory.interfaceOf(workerId, key)
  if (known !== undefined) return known
  for (const wellKnown of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
    for (const url of cardUrlsOf(worker, wellKnown, '')) {
      const collected = await collectAnswer(edge, { url, method: 'GET', headers: ['accept', 'application/json'], body: undefined })
      if (collected.outcome !== 'answered' || collected.head.status !== 200) continue
      learnInterfaces(edge, workerId, worker, (await decodedText(collected)) ?? '')
      const learned = edge.directory.interfaceOf(workerId, key)
      if (learned !== undefined) return learned
    }
  }
  throw new LedgerError('route_not_found', 'The card of the worker names no interface of this path.')
}

/** Takes in what a card names beside the enrolled address. */
export function learnInterfaces(edge: Edge, workerId: string, worker: WorkerAddress, card: string): void {
  const addresses = readCardAddresses(card, () => undefined)
  const elsewhere = (addresses?.interfaces ?? []).map(({ url }) => url).filter((url) => isHttp(url) && restOf(worker.url, url) === undefined)
  edge.directory.learnInterfaces(workerId, [...new Set(elsewhere)])
}

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
