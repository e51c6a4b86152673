/**
 * A case: a few events as a witness would send them, most of them damaged. Half of the cases begin
 * with a story of the corpus, the others throw events of everywhere at one or two tasks.
 */
import { mutatedUpTo } from '@a2a-ledger/domain/testing/wire'
import fc from 'fast-check'
import type { Corpus, CorpusEvent } from './corpus.ts'

/** One request body with its headers: CloudEvents in structured or in binary mode. */
export type FuzzInput =
  | { readonly mode: 'structured'; readonly body: string; readonly encoding: Encoding }
  | { readonly mode: 'binary'; readonly headers: Readonly<Record<string, string>>; readonly body: string; readonly encoding: Encoding }

/** Text beyond ASCII is malformed UTF-8 when it is written as Latin-1. */
type Encoding = 'utf8' | 'latin1'

export type FuzzCase = readonly FuzzInput[]

/** Events in one case, so that one step of the shrinking is quick. */
const eventsMax = 8
const startMs = Date.parse('2026-11-01T10:00:00Z')

const pool = {
  workerid: ['fuzz-w-1', 'fuzz-w-2'],
  taskid: ['t-1', 't-2', 't-3'],
  correlationid: ['fuzz-order-1', 'fuzz-order-2'],
  messageid: ['m-1', 'm-2'],
  source: ['urn:fuzz:orchestrator', 'urn:fuzz:gateway', 'urn:fuzz:worker'],
} as const

/** Attributes that say something else, or something that no attribute may say. */
const oddAttributes: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  fc.record({ time: fc.constantFrom('2026-11-01T10:00:03Z', '2099-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '2026-02-30T00:00:00Z', 'yesterday', '') }),
  fc.record({ operation: fc.constantFrom('SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask', 'Push', 'Emit', 'tasks/get', 'Nonsense') }),
  fc.record({ binding: fc.constantFrom('JSONRPC', 'HTTP+JSON', 'GRPC', 'SOAP') }),
  fc.record({ httpstatus: fc.constantFrom('200', '204', '307', '401', '404', '405', '429', '500', '502', '504', '99', '0404') }),
  fc.record({ protocolversion: fc.constantFrom('1.0', '0.3', '0.2.5', '0.1', '1.1', '9.9', 'x') }),
  fc.record({ type: fc.constantFrom('a2a.task', 'a2a.response', 'a2a.error', 'a2a.stream-response', 'a2a.dispatch', 'a2a.agent-card', 'a2a.no-answer', 'a2a.stream-ended', 'a2a.worker-restarted', 'orchestrator.conclusion', 'reconciler.verdict', 'a2a.nonsense') }),
  fc.record({ sequence: fc.constantFrom('1', '2', '10', '-1', 'x', '999999999999999999999'), streamid: fc.constantFrom('s-1', 's-2') }),
  fc.record({ scope: fc.constantFrom('tenant-1', 'tenant-2'), instance: fc.constantFrom('a', 'b') }),
  fc.record({ lastobserved: fc.constantFrom('working', 'TASK_STATE_COMPLETED', 'nonsense') }),
  fc.record({ parentcorrelationid: fc.constantFrom(...pool.correlationid), messageid: fc.constantFrom(...pool.messageid) }),
  fc.record({ correlationid: fc.constantFrom('~w-1/t-1', '~w-1', '\ud83d', 'x'.repeat(1_025), 'a/b%2f~', '\u0000', '__proto__') }),
  fc.record({ taskid: fc.constantFrom('', 'x'.repeat(1_024), '\u4e2d'.repeat(1_024), 'a/b', '__proto__') }),
  fc.record({ cachecontrol: fc.constantFrom('max-age=1', 'max-age=1e999', 'no-store'), etag: fc.string() }),
)

interface Draft {
  readonly event: CorpusEvent
  readonly own: Readonly<Record<string, string>>
  readonly pooled: Readonly<Record<string, string>>
  readonly damage: ((text: string) => string) | null
  readonly isEnvelopeDamaged: boolean
  readonly mode: 'structured' | 'binary'
  readonly encoding: Encoding
}

const draftOf = (event: fc.Arbitrary<CorpusEvent>, lengthMax: number): fc.Arbitrary<Draft> => {
  const damage = mutatedUpTo(lengthMax)
  return fc.record({
    event,
    own: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddAttributes }),
    pooled: fc.record(
      {
        workerid: fc.constantFrom(...pool.workerid),
        taskid: fc.constantFrom(...pool.taskid),
        correlationid: fc.constantFrom(...pool.correlationid),
        messageid: fc.constantFrom(...pool.messageid),
        source: fc.constantFrom(...pool.source),
      },
      { requiredKeys: ['workerid', 'source'] },
    ),
    damage: fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 3, arbitrary: damage }),
    isEnvelopeDamaged: fc.integer({ min: 0, max: 19 }).map((roll) => roll === 0),
    mode: fc.constantFrom('structured', 'binary'),
    encoding: fc.integer({ min: 0, max: 49 }).map((roll): Encoding => (roll === 0 ? 'latin1' : 'utf8')),
  })
}

/** Ids of everywhere become those of one or two tasks, so that events meet in the fold. */
const withPooledIds = (text: string): string =>
  text.replaceAll(/("(?:id|taskId|contextId|messageId|artifactId|task_id|context_id|message_id)"\s*:\s*")([^"\\]{1,200})"/g, (_, head: string, id: string) => `${head}${id.length % 2 === 0 ? 't-1' : 't-2'}"`)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Header values of the HTTP binding (CloudEvents §3.1.3.2); what is no character has no bytes either. */
const encodeHeader = (value: string): string =>
  value.toWellFormed().replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, encodeURIComponent)

const inputOf = (draft: Draft, index: number, isStory: boolean): FuzzInput => {
  const { event, own, pooled, damage, mode, encoding } = draft
  const defaults = { time: new Date(startMs + index * 1_000).toISOString() }
  const attributes = isStory
    ? { ...defaults, source: pooled['source'], workerid: 'fuzz-w-1', ...event.attributes, ...own }
    : { ...defaults, ...event.attributes, ...pooled, ...own }
  const named = { specversion: '1.0', id: `e-${index}`, ...attributes }
  const text = isStory ? event.text : withPooledIds(event.text)
  const data = damage === null || draft.isEnvelopeDamaged ? text : damage(text)
  if (mode === 'structured' && isJson(data)) {
    const members = Object.entries(named).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    const body = `{${members.join(',')},"data":${data}}`
    return { mode, body: damage !== null && draft.isEnvelopeDamaged ? damage(body) : body, encoding }
  }
  const headers = Object.fromEntries(Object.entries(named).map(([name, value]) => [`ce-${name}`, encodeHeader(value ?? '')]))
  return { mode: 'binary', headers: { 'content-type': 'application/json', ...headers }, body: data, encoding }
}

/** `lengthMax`: characters of the longest string that a mutation puts in. */
export const fuzzCase = ({ events, histories }: Corpus, lengthMax: number): fc.Arbitrary<FuzzCase> => {
  const assortment = fc.array(draftOf(fc.constantFrom(...events), lengthMax), { minLength: 1, maxLength: eventsMax })
  const story = fc
    .record({ history: fc.constantFrom(...histories), from: fc.nat(20), swap: fc.nat(eventsMax) })
    .chain(({ history, from, swap }) => {
      const begin = from % history.length
      const told = history.slice(begin, begin + eventsMax)
      const swapped = told.toSpliced(swap % told.length, 1, told[(swap + 1) % told.length] ?? told[0]!)
      return fc.tuple(...swapped.map((event) => draftOf(fc.constant(event), lengthMax)))
    })
  return fc.oneof(
    assortment.map((drafts) => drafts.map((draft, index) => inputOf(draft, index, false))),
    story.map((drafts) => drafts.map((draft, index) => inputOf(draft, index, true))),
  )
}
