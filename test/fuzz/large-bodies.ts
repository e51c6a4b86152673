/**
 * Bodies that are large in one way each, up to what is read at all: what is done with them must be
 * linear in their size, or one input would hold up everybody behind it.
 */
import type { FuzzInput } from './fuzz-case.ts'

export interface LargeBody {
  readonly what: string
  readonly inputs: readonly FuzzInput[]
}

/** Just below the entries that a list may have. */
const many = 9_900
/** Tasks in one answer: each becomes a stream of its own, which the mesh in memory derives anew each time. */
const manyTasks = 150
/** Events of one task: its timeline is derived anew for each of them. */
const manyEvents = 60

const list = (count: number, entry: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => entry(index)).join(',')

const taskWith = (more: string, id = 'fuzz-t'): string =>
  `{"id":"${id}","contextId":"c","status":{"state":"TASK_STATE_WORKING"}${more}}`
const updateWith = (text: string): string =>
  `{"taskId":"fuzz-t","contextId":"c","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"q","role":"ROLE_AGENT","parts":[{"text":"${text}"}]}}}`
const sendWith = (message: string, request: string): string =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]${message}}${request}}`

const bodies: readonly (readonly [what: string, type: string, body: string, attributes?: Readonly<Record<string, string>>])[] = [
  ['artifacts', 'a2a.task', taskWith(`,"artifacts":[${list(many, (n) => `{"artifactId":"a${n}","parts":[{"text":"x"}]}`)}]`)],
  ['artifacts of one id', 'a2a.task', taskWith(`,"artifacts":[${list(many, () => '{"artifactId":"a","parts":[{"text":"x"}]}')}]`)],
  ['artifacts without an id', 'a2a.task', taskWith(`,"artifacts":[${list(many, () => '{"parts":[{"text":"x"}]}')}]`)],
  ['parts of one artifact, each of another media type', 'a2a.task', taskWith(`,"artifacts":[{"artifactId":"a","parts":[${list(many, (n) => `{"text":"x","mediaType":"a/b${n}"}`)}]}]`)],
  ['messages of a history', 'a2a.task', taskWith(`,"history":[${list(many, (n) => `{"messageId":"m${n}","role":"ROLE_USER","parts":[{"text":"x"}]}`)}]`)],
  ['members of metadata', 'a2a.task', taskWith(`,"metadata":{${list(many, (n) => `"k${n}":${n}`)}}`)],
  ['members of one name', 'a2a.task', taskWith(`,"metadata":{${list(many, (n) => `"k":${n}`)}}`)],
  ['ids of one task', 'a2a.task', `{${list(many, (n) => `"id":"${n}"`)}}`],
  ['nesting, as deep as is read', 'a2a.task', taskWith(`,"metadata":${'{"a":'.repeat(60)}1${'}'.repeat(60)}`)],
  ['nesting, far deeper', 'a2a.task', taskWith(`,"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  ['tasks of a list', 'a2a.response', `{"tasks":[${list(manyTasks, (n) => taskWith('', `fuzz-t-${n}`))}]}`, { operation: 'ListTasks' }],
  ['answers of a batch', 'a2a.response', `[${list(manyTasks, (n) => `{"jsonrpc":"2.0","id":${n},"result":${taskWith('', `fuzz-t-${n}`)}}`)}]`, { operation: 'GetTask' }],
  ['events of a stream in one body', 'a2a.response', Array.from({ length: manyEvents }, (_, n) => `data: {"statusUpdate":{"taskId":"fuzz-t","contextId":"c","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"m${n}","role":"ROLE_AGENT","parts":[{"text":"x"}]}}}}\n\n`).join(''), { operation: 'SendStreamingMessage' }],
  ['more events of a stream than are read', 'a2a.response', 'data: {"x":1}\n\n'.repeat(20_000), { operation: 'SendStreamingMessage' }],
  ['lines of a stream without an event', 'a2a.response', ': keep-alive\n'.repeat(many * 10), { operation: 'SendStreamingMessage' }],
  ['names that bear secrets, in text', 'a2a.response', 'token: "Authorization: Bearer x\\" password='.repeat(many), { operation: 'GetTask', taskid: 'fuzz-t', httpstatus: '500' }],
  ['skills of a card', 'a2a.agent-card', `{"name":"n","description":"d","version":"1","protocolVersion":"0.3.0","url":"http://x.test","capabilities":{},"defaultInputModes":[],"defaultOutputModes":["text/plain"],"skills":[${list(many, (n) => `{"id":"s${n}","name":"n","description":"d","tags":[],"outputModes":["a/c${n}"]}`)}]}`],
  ['accepted modes of a send', 'a2a.dispatch', sendWith('', `,"configuration":{"acceptedOutputModes":[${list(many, (n) => `"a/b${n}"`)}]}`)],
  ['references of a message', 'a2a.dispatch', sendWith(`,"referenceTaskIds":[${list(many, (n) => `"t${n}"`)}]`, '')],
  ['details of an error', 'a2a.error', `{"error":{"code":404,"message":"x","details":[${list(many, (n) => `{"@type":"x/y${n}","reason":"R"}`)}]}}`, { operation: 'GetTask', taskid: 'fuzz-t' }],
  ['words of an error', 'a2a.error', `{"code":-32603,"message":"${'timed out in terminal state '.repeat(many)}"}`, { operation: 'GetTask', taskid: 'fuzz-t' }],
  ['blanks of an error', 'a2a.error', `{"code":-32001,"message":"${' '.repeat(many * 20)}"}`, { operation: 'GetTask', taskid: 'fuzz-t' }],
  ['a page that opens and opens', 'a2a.response', `<html>${'<'.repeat(many * 20)}`, { operation: 'GetTask', taskid: 'fuzz-t', httpstatus: '502' }],
  ['a number without end', 'a2a.task', `{"id":"fuzz-t","status":{"state":"TASK_STATE_WORKING"},"metadata":{"n":${'1'.repeat(many * 20)}}}`],
  ['escapes of a text', 'a2a.status-update', updateWith('\\u0041'.repeat(many))],
  ['words of a failed status', 'a2a.status-update', updateWith('context ids do not match, shutdown, client disconnected, timeout '.repeat(many / 10))],
]

export const largeBodies: readonly LargeBody[] = bodies.map(([what, type, body, attributes = {}]) => {
  const inputs = ['orchestrator', 'gateway'].map((witness, index): FuzzInput => {
    const named = { specversion: '1.0', id: `e-${index}`, source: `urn:fuzz:${witness}`, type, workerid: 'fuzz-w-1', time: `2026-11-01T10:00:0${index}Z`, ...attributes }
    const headers = Object.fromEntries(Object.entries(named).map(([name, value]) => [`ce-${name}`, value]))
    return { mode: 'binary', headers: { 'content-type': 'application/json', ...headers }, body, encoding: 'utf8' }
  })
  return { what, inputs }
})
