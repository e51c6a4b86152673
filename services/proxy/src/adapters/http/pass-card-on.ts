/**
 * A card on its way back: recorded as the worker wrote it, given out with its addresses leading
 * through the proxy. One that is signed goes as it is, since a change would break its signature.
 * One that cannot be held to be read goes as any other answer does.
 */
import type { ServerResponse } from 'node:http'
import { readCardAddresses } from '@a2a-ledger/domain'
import type { AnswerHead } from '@a2a-ledger/outbound'
import type { WatchedCall } from '@a2a-ledger/witness/recording'
import { publicUrlOf } from '../../app/public-address.ts'
import { answerOf, failureProblem, sendProblemRaw } from './answer.ts'
import { collectAnswer, type Collected, decodedText } from './collect-answer.ts'
import type { Edge } from './edge.ts'
import { toCaller, without, type RawHeaders } from './raw-headers.ts'
import { learnInterfaces, type Route } from './route-call.ts'

export interface CardCall {
  readonly route: Route
  readonly method: string
  readonly headers: RawHeaders
  readonly body: Uint8Array | undefined
}

/** Headers that say something about bytes that are no longer those. */
const aboutTheBytes: ReadonlySet<string> = new Set(['content-length', 'content-encoding', 'content-md5', 'content-digest', 'digest', 'repr-digest', 'accept-ranges'])

/** What became of the call; where the answer could not be held, its address: nothing is told and nothing answered yet. */
export async function passCardOn(edge: Edge, { route, method, headers, body }: CardCall, watched: WatchedCall, response: ServerResponse): Promise<string | URL> {
  const gone = new AbortController()
  response.once('close', () => gone.abort(new DOMException('The caller went away.', 'AbortError')))
  const plain = [...without(headers, (name) => name === 'accept-encoding' || name === 'range'), 'accept-encoding', 'identity']
  let collected: Collected | undefined
  let asked = route.urls[0]
  for (const url of route.urls) {
    asked = url
    collected = await collectAnswer(edge, { url, method, headers: plain, body }, gone.signal)
    if (collected.outcome === 'failed' || collected.head.status !== 404) break
  }
  if (collected === undefined || collected.outcome === 'failed') {
    watched.unanswered(collected?.failure ?? 'refused')
    sendProblemRaw(response, failureProblem(collected?.error, collected?.failure ?? 'refused'))
    return collected?.failure ?? 'refused'
  }
  const { head } = collected
  const kept = collected.body
  if ('missing' in kept && !response.closed) return asked
  watched.answered(answerOf(edge, head), kept)
  if ('missing' in kept || response.closed) return 'aborted'
  const text = head.status === 200 ? await decodedText(collected) : undefined
  const addressed = text === undefined ? undefined : readdressed(edge, route, text)
  return giveOut(response, head, toCaller(head.headers), addressed === undefined ? kept.bytes : Buffer.from(addressed))
}

/** The card with addresses of the proxy; `undefined` where it is no card. */
function readdressed(edge: Edge, { workerId, worker }: Route, text: string): string | undefined {
  learnInterfaces(edge, workerId, worker, text)
  const { publicUrl } = edge.settings
  const { keyOf } = edge.directory
  return readCardAddresses(text, ({ url, binding }) => (binding === 'GRPC' ? undefined : publicUrlOf({ publicUrl, keyOf }, workerId, worker, url)))?.text
}

function giveOut(response: ServerResponse, head: AnswerHead, headers: RawHeaders, body: Uint8Array): string {
  const isBodiless = head.status === 204 || head.status === 304
  const own = without(headers, (name) => aboutTheBytes.has(name))
  response.sendDate = !own.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'date')
  response.writeHead(head.status, head.statusText, isBodiless ? own : [...own, 'content-length', String(body.length)])
  response.end(isBodiless ? undefined : body)
  return 'answered'
}
