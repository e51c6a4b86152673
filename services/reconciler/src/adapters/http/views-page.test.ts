import { readFileSync } from 'node:fs'
import type { TaskView, TimelineEntry, WorkerView } from '@a2a-ledger/domain'
import { namesOf, sectionOf } from '@a2a-ledger/domain/testing'
import { describe, expect, test } from 'vitest'
import { taskViewSchema, timelineSchema, verdictSchema, workerSchema } from './schemas.ts'

const page = readFileSync(new URL('../../../../../docs/reference/views.md', import.meta.url), 'utf8')

type Fields<View> = Record<Exclude<keyof View, 'counts'>, true>
type Artifact = TaskView['artifacts'][number]

/** What a view has, by its type: a field that is added or removed does not compile here. */
const task = {
  correlationId: true,
  state: true,
  lastObserved: true,
  terminal: true,
  dispatches: true,
  attempts: true,
  artifacts: true,
  divergences: true,
  violations: true,
  links: true,
  parents: true,
  children: true,
  verdict: true,
  intents: true,
  cancels: true,
  incomplete: true,
  canary: true,
  suggestedLinks: true,
  appliedPosition: true,
} satisfies Fields<TaskView & { readonly suggestedLinks: unknown; readonly appliedPosition: number }>
const dispatch = {
  workerId: true,
  messageId: true,
  position: true,
  outcome: true,
  taskId: true,
} satisfies Fields<TaskView['dispatches'][number]>
const attempt = {
  workerId: true,
  taskId: true,
  contextId: true,
  state: true,
  life: true,
  contested: true,
  doubt: true,
  claimed: true,
  metadata: true,
  firstSeenPosition: true,
  lastSeenPosition: true,
} satisfies Fields<TaskView['attempts'][number]>
const artifact = { key: true, divergent: true, canonical: true, variants: true } satisfies Fields<Artifact>
const version = {
  workerId: true,
  taskId: true,
  artifactId: true,
  name: true,
  mediaTypes: true,
  judgedBy: true,
  complete: true,
  metadata: true,
  bytes: true,
  digest: true,
  disputedBy: true,
} satisfies Fields<Artifact['canonical']>
const verdict = {
  decisionId: true,
  kind: true,
  workerId: true,
  because: true,
  considered: true,
  duplicateRisk: true,
  actor: true,
  position: true,
  basis: true,
  approval: true,
  held: true,
  retryAfterMs: true,
} satisfies Fields<NonNullable<TaskView['verdict']>>
const intent = {
  decisionId: true,
  purpose: true,
  workerId: true,
  messageId: true,
  by: true,
  actor: true,
  outcome: true,
  until: true,
  taskId: true,
  because: true,
  position: true,
} satisfies Fields<NonNullable<TaskView['intents']>[number]>
const entry = {
  position: true,
  type: true,
  source: true,
  time: true,
  clock: true,
  stamped: true,
  recordedat: true,
  workerId: true,
  taskId: true,
  operation: true,
  canonical: true,
  effect: true,
  changed: true,
  because: true,
} satisfies Fields<TimelineEntry>
const worker = {
  workerId: true,
  mesh: true,
  trust: true,
  replicas: true,
  owner: true,
  substitutes: true,
  interface: true,
  observe: true,
  probe: true,
  push: true,
  states: true,
  mediaTypes: true,
  measured: true,
  skills: true,
  conditions: true,
  coverage: true,
  cards: true,
  drift: true,
  notes: true,
} satisfies Fields<WorkerView>
const effects = {
  applied: true,
  duplicate: true,
  late: true,
  contested: true,
  ignored: true,
} satisfies Record<TimelineEntry['effect'], true>

/** First cells under a heading, up to the next heading or the next table. */
const fieldsUnder = (heading: string): readonly string[] => firstCells(sectionOf(page, heading))
const firstCells = (section: string): readonly string[] =>
  namesOf(section.split(/\n#{2,4} |\nA version:\n/)[0] ?? '')

describe('docs/reference/views.md', () => {
  test.each([
    ['## Task', task],
    ['### Dispatch', dispatch],
    ['### Attempt', attempt],
    ['### Artifact', artifact],
    ['### Verdict', verdict],
    ['### Intent', intent],
    ['## Worker', worker],
  ])('%s has exactly the fields of the view', (heading, fields) => {
    expect(fieldsUnder(heading)).toEqual(Object.keys(fields))
  })

  test('a version of an artifact has exactly its fields', () => {
    expect(namesOf(sectionOf(page, '### Artifact').split('\nA version:\n')[1] ?? '')).toEqual(Object.keys(version))
  })

  test('a timeline entry has exactly its fields, and the effects are those of the code', () => {
    expect(fieldsUnder('## Timeline')).toEqual([...Object.keys(entry), ...Object.keys(effects)])
  })

  test.each([
    ['a task', taskViewSchema, task],
    ['a dispatch', taskViewSchema.shape.dispatches.element, dispatch],
    ['an attempt', taskViewSchema.shape.attempts.element, attempt],
    ['an artifact', taskViewSchema.shape.artifacts.element, artifact],
    ['a verdict', taskViewSchema.shape.verdict.unwrap(), verdict],
    ['an intent', taskViewSchema.shape.intents.unwrap().element, intent],
    ['a timeline entry', timelineSchema.shape.entries.element, entry],
    ['a worker', workerSchema, worker],
  ])('what the schema of %s describes is in the view', (_, schema, fields) => {
    const described = Object.keys(schema.shape).filter((name) => name !== 'counts')
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(described))
  })

  test('a verdict in an answer and in a view have the same kinds of members', () => {
    expect(Object.keys({ ...verdict, state: true })).toEqual(expect.arrayContaining(Object.keys(verdictSchema.shape)))
  })
})
