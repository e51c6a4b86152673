/** What is asked of an instance beside events: questions, enrolments, queries, pushes; most of them damaged. */
import { mutatedUpTo } from '@a2a-ledger/domain/testing/wire'
import fc from 'fast-check'
import type { Corpus } from './corpus.ts'

export interface FuzzQuestion {
  readonly service: 'ledger' | 'reconciler'
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: string
}

const ids = fc.constantFrom('fuzz-w-1', 'fuzz-order-1', 'fuzz-t-1', '~fuzz-w-1/t-1', '~fuzz-w-1', 'unknown', '%00', '%ff', '%ED%A0%80', '..', 'a%2Fb', '\u4e2d', 'x'.repeat(1_100), '__proto__')
const numbers = fc.constantFrom('0', '1', '-1', '1e3', '99999999999999999999', '9007199254740993', '', 'x', '%00', '1.5', 'null')

/** Path segments: an id as it is, or one that has to be encoded. */
const segment = ids.map((id) => (/^[\w%.~-]+$/.test(id) ? id : encodeURIComponent(id)))

const bodies: readonly { readonly service: FuzzQuestion['service']; readonly method: 'POST' | 'PUT'; readonly path: (id: string) => string; readonly body: unknown }[] = [
  { service: 'reconciler', method: 'POST', path: (id) => `/v1/tasks/${id}/not-found`, body: { workerId: 'fuzz-w-1', taskId: 't-1', operation: 'GetTask', error: { code: -32001, message: 'Task not found' }, scope: 's', time: '2026-11-01T10:00:05Z', httpstatus: 404, binding: 'HTTP+JSON' } },
  { service: 'reconciler', method: 'POST', path: () => '/v1/what-now', body: { correlationId: 'fuzz-order-1', workerId: 'fuzz-w-1', taskId: 't-1', reason: 'not-found', operation: 'GetTask', error: { code: 404 }, lastobserved: 'working' } },
  { service: 'reconciler', method: 'POST', path: () => '/v1/what-now', body: { workerId: 'fuzz-w-2', taskId: 't-2', reason: 'timeout' } },
  { service: 'reconciler', method: 'PUT', path: (id) => `/v1/workers/${id}`, body: { mesh: 'fuzz', trust: 'card', replicas: 2, owner: 'team', substitutes: ['fuzz-w-2'], interface: { url: 'http://x.test', headers: { authorization: 'secret' } }, push: { token: 'secret' } } },
  { service: 'reconciler', method: 'PUT', path: (id) => `/v1/meshes/${id}`, body: { redispatch: 'advise', attemptsMax: 3, ratePerMinute: 10 } },
]

const queries: readonly { readonly service: FuzzQuestion['service']; readonly path: (id: string, number: string) => string }[] = [
  { service: 'ledger', path: (_, number) => `/v1/events?after=${number}&limit=2` },
  { service: 'ledger', path: (id, number) => `/v1/events?correlationId=${id}&workerId=${id}&limit=${number}` },
  { service: 'ledger', path: (_, number) => `/v1/events/${number}/data` },
  { service: 'ledger', path: (id) => `/v1/quarantine/${id}` },
  { service: 'ledger', path: (id, number) => `/v1/quarantine?reason=${id}&after=${number}&limit=2` },
  { service: 'reconciler', path: (id, number) => `/v1/tasks?state=${id}&workerId=${id}&after=${number}&limit=2` },
  { service: 'reconciler', path: (id, number) => `/v1/tasks/${id}?atLeast=${number}&timeoutMs=0` },
  { service: 'reconciler', path: (id, number) => `/v1/tasks/${id}/timeline?after=${number}&limit=2` },
  { service: 'reconciler', path: (id) => `/v1/tasks/${id}/root-cause` },
  { service: 'reconciler', path: (id) => `/v1/tasks/${id}/artifacts/${id}/content?workerId=${id}` },
  { service: 'reconciler', path: (id, number) => `/v1/workers?after=${number}&id=${id}&limit=2` },
  { service: 'reconciler', path: (id) => `/v1/workers/${id}` },
  { service: 'reconciler', path: (id) => `/v1/${id}` },
]

export const fuzzQuestion = ({ events }: Corpus, lengthMax: number): fc.Arbitrary<FuzzQuestion> => {
  const damage = fc.option(mutatedUpTo(lengthMax), { freq: 4, nil: (text: string) => text })
  const asked = fc
    .record({ question: fc.constantFrom(...bodies), id: segment, change: damage })
    .map(({ question: { service, method, path, body }, id, change }) => ({ service, method, path: path(id), body: change(JSON.stringify(body)) }))
  const queried = fc
    .record({ query: fc.constantFrom(...queries), id: segment, number: numbers })
    .map(({ query: { service, path }, id, number }) => ({ service, method: 'GET' as const, path: path(id, number) }))
  const pushed = fc
    .record({ event: fc.constantFrom(...events), id: segment, other: fc.option(segment), change: damage })
    .map(({ event, id, other, change }) => ({
      service: 'ledger' as const,
      method: 'POST' as const,
      path: `/v1/push/${id}${other === null ? '' : `/${other}`}`,
      body: change(event.text),
    }))
  return fc.oneof(asked, queried, pushed)
}
