/**
 * Public paths and the addresses behind them.
 *
 *     /{workerId}{rest}          the enrolled address, with `rest` behind it
 *     /{workerId}/~{key}{rest}   an interface that the worker's card names elsewhere
 *     /{workerId}/~push/{seal}   where a push configuration was pointed to
 *
 * Both directions are here, so that what a card is given leads back to where it came from.
 */
import type { WorkerDirectory } from './worker-directory.ts'
import type { WorkerAddress } from './ports.ts'

export type PublicPath =
  | { readonly kind: 'base'; readonly workerId: string; readonly rest: string; readonly query: string }
  | { readonly kind: 'interface'; readonly workerId: string; readonly key: string; readonly rest: string; readonly query: string }
  | { readonly kind: 'push'; readonly workerId: string; readonly seal: string; readonly query: string }
  /** A path that leads nowhere; the text says why. */
  | { readonly kind: 'unusable'; readonly because: string }

const form = /^\/([^/?]+)(\/[^?]*)?(\?.*)?$/
const ownForm = /^\/~(?:([0-9a-f]{16})|push\/([\w-]+))(\/.*)?$/

/** Takes the request target of a call apart. */
export const readPublicPath = (target: string): PublicPath => {
  const [, id = '', rest = '', query = ''] = form.exec(target) ?? []
  const workerId = decoded(id)
  if (workerId === undefined || workerId === '') return { kind: 'unusable', because: 'The path does not begin with the id of a worker.' }
  // A worker is enrolled with an address; what lies above it is none of the caller's business.
  if (/[\\/](?:\.|%2e){1,2}(?:[\\/]|$)/i.test(rest)) return { kind: 'unusable', because: 'The path has segments of dots.' }
  const [, key, seal, ownRest = ''] = ownForm.exec(rest) ?? []
  if (seal !== undefined) return { kind: 'push', workerId, seal, query }
  if (key !== undefined) return { kind: 'interface', workerId, key, rest: ownRest, query }
  return { kind: 'base', workerId, rest, query }
}

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** The address of `base` with `rest` behind its path; parameters of both are kept. */
export const joinUrl = (base: string, rest: string, query: string): URL => {
  const url = new URL(base)
  if (rest !== '') url.pathname = `${url.pathname.replace(/\/$/, '')}${rest}`
  url.hash = ''
  if (query.length > 1) url.search = url.search === '' ? query : `${url.search}&${query.slice(1)}`
  return url
}

/**
 * The public address of one interface of a worker; `undefined` where the address is no HTTP, which
 * the proxy cannot stand in for.
 */
export const publicUrlOf = (
  { publicUrl, keyOf }: { readonly publicUrl: string; readonly keyOf: WorkerDirectory['keyOf'] },
  workerId: string,
  worker: WorkerAddress,
  url: string,
): string | undefined => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined
  const own = ownUrlOf(publicUrl, workerId)
  const rest = restOf(worker.url, url)
  return rest === undefined ? `${own}/~${keyOf(url)}` : `${own}${rest}`
}

/** The public address of a place below the worker's enrolled one; `undefined` where it does not lie there. */
export const publicLocationOf = (publicUrl: string, workerId: string, worker: WorkerAddress, { origin, pathname, search, hash }: URL): string | undefined => {
  const rest = restOf(worker.url, `${origin}${pathname}`)
  return rest === undefined ? undefined : `${ownUrlOf(publicUrl, workerId)}${rest}${search}${hash}`
}

/** The public address that stands in a push configuration in place of what `seal` holds. */
export const publicPushUrlOf = (publicUrl: string, workerId: string, seal: string): string => `${ownUrlOf(publicUrl, workerId)}/~push/${seal}`

/** The seal in an address of {@link publicPushUrlOf}; `undefined` where it is none. */
export const sealOf = (publicUrl: string, workerId: string, url: string): string | undefined => {
  const prefix = publicPushUrlOf(publicUrl, workerId, '')
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined
}

const ownUrlOf = (publicUrl: string, workerId: string): string => `${publicUrl.replace(/\/$/, '')}/${encodeURIComponent(workerId)}`

/** What stands behind `base` in `url`; `undefined` where it does not lie below it. */
export const restOf = (base: string, url: string): string | undefined => {
  const [above, below] = [new URL(base), new URL(url)]
  if (above.origin !== below.origin || above.search !== below.search) return undefined
  if (above.pathname === below.pathname) return ''
  const folder = above.pathname.replace(/\/$/, '')
  const rest = below.pathname.startsWith(`${folder}/`) ? below.pathname.slice(folder.length) : undefined
  return rest === undefined || ownForm.test(rest) ? undefined : rest
}
