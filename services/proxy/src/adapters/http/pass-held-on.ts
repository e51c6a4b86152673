/**
 * An answer that is held, changed and given out: a card, whose addresses then lead through the proxy,
 * or a push configuration, whose address is the client's own again. One that cannot be held goes as any
 * other answer does.
 */
import type { ServerResponse } from 'node:http'
import { readCardAddresses } from '@a2a-ledger/domain'
import type { AnswerHead } from '@a2a-ledger/outbound'
import type { KeptBody, WatchedCall } from '@a2a-ledger/witness/recording'
import { publicUrlOf } from '../../app/public-address.ts'
import { answerOf, failureProblem, sendProblemRaw } from './answer.ts'
import { collectAnswer, type Collected, decodedText } from './collect-answer.ts'
import type { Edge } from './edge.ts'
import { toCaller, without, type RawHeaders } from './raw-headers.ts'
import { learnInterfaces, type Route } from './route-call.ts'

/** What becomes of the text of an answer. */
export interface AnswerChange {
  /** `undefined`: it goes as it is. */
  readonly of: (text: string) => string | undefined
  /** Which of both is told. */
  readonly isTold: 'before' | 'after'
}

export interface HeldCall {
  readonly route: Route
  readonly method: string
  readonly headers: RawHeaders
  readonly body: Uint8Array | undefined
  readonly change: AnswerChange
}

/** Headers that say something about bytes that are no longer those. */
const aboutTheBytes: ReadonlySet<string> = new Set(['content-length', 'content-encoding', 'content-md5', 'content-digest', 'digest', 'repr-digest', 'accept-ranges'])

/** What became of the call; where the answer could not be held, its address: nothing is told and nothing answered yet. */
export async function passHeldOn(edge: Edge, { route, method, headers, body, change }: HeldCall, watched: WatchedCall, response: ServerResponse): Promise<string | URL> {
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
  const text = head.status >= 200 && head.status < 300 ? await decodedText(collected) : undefined
  const changed = text === undefined ? undefined : change.of(text)
  const given: KeptBody = changed === undefined ? kept : { bytes: Buffer.from(changed) }
  watched.answered(answerOf(edge, head), change.isTold === 'before' ? kept : given)
  return 'missing' in given || response.closed ? 'aborted' : giveOut(response, head, toCaller(head.headers), given.bytes)
}

/** The card with addresses of the proxy; `undefined` where it is no card, or signed, since a change would break its signature. */
export function readdressedCard(edge: Edge, { workerId, worker }: Route, text: string): string | undefined {
  learnInterfaces(edge, workerId, worker, text)
  const { publicUrl } = edge.settings
  const { keyOf } = edge.directory
  const card = readCardAddresses(text, ({ url, binding }) => (binding === 'GRPC' ? undefined : publicUrlOf({ publicUrl, keyOf }, workerId, worker, url)))
  if (card?.interfaces.some(({ binding }) => binding === 'GRPC') === true && !edge.toldGrpc.has(workerId)) {
    edge.toldGrpc.add(workerId)
    edge.log.warn({ workerId }, 'calls of a worker over gRPC go by and are not recorded')
  }
  return card?.text
}

function giveOut(response: ServerResponse, head: AnswerHead, headers: RawHeaders, body: Uint8Array): string {
  const isBodiless = head.status === 204 || head.status === 304
  const own = without(headers, (name) => aboutTheBytes.has(name))
  response.sendDate = !own.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'date')
  response.writeHead(head.status, head.statusText, isBodiless ? own : [...own, 'content-length', String(body.length)])
  response.end(isBodiless ? undefined : body)
  return 'answered'
}
