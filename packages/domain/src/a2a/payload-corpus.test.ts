import { describe, expect, test } from 'vitest'
import type { Canonical } from './canonical.ts'
import { canonicalOf } from './canonical-of.ts'
import { readContextOf } from '../fact/facts-of.ts'
import { corpusPayloads, type CorpusPayload } from '../testing/wire/corpus-payloads.ts'
import { hasSharedCases } from '../testing/wire/shared-cases.ts'
import { readPayload, type ReadResult } from './read.ts'

type Row = Readonly<Record<string, string>>

/** Rows whose expectation is no value a reader could give, with the reason. */
const argued: ReadonlyMap<string, string> = new Map([
  [
    'v0.3/task-006.json',
    'numeric ids: the manifest describes the string form in words, it does not spell it',
  ],
])

const readingOf = ({ attributes, text }: CorpusPayload): ReadResult =>
  readPayload(readContextOf({ attributes: { specversion: '1.0', id: 'e', source: 'urn:corpus', ...attributes } }), text)

const alike: Readonly<Record<string, readonly string[]>> = {
  InternalError: ['Internal'],
  Http: ['Server', 'Unavailable', 'Internal'],
  NotFound: ['RouteNotFound', 'TaskNotFound'],
}

const judgeError = (want: string, { error }: Canonical): readonly string[] => {
  const name = /^[A-Za-z-]+/.exec(want.slice(6))?.[0] ?? ''
  if (/no task evidence|conflict|unattributed/.test(want)) {
    return error?.evidence === 'strong' ? ['strong evidence where there is none'] : []
  }
  if (error === undefined) return [`no error, expected ${want}`]
  return (alike[name] ?? [name]).includes(error.name) ? [] : [`error ${error.name}, not ${name}`]
}

const judgeIds = (row: Row, canonical: Canonical): readonly string[] =>
  (['taskId', 'contextId'] as const).flatMap((field) => {
    const id = row[field === 'taskId' ? 'task_id' : 'context_id'] ?? '-'
    if (id === '-' || id === 'None' || /[,/]/.test(id)) return []
    const given = canonical[field]
    const isRight = id === '(absent)' ? given === undefined : given === id
    return isRight ? [] : [`${field} ${given}, not ${id}`]
  })

/** The judgement of run-payloads.mjs; `undefined` where it does not judge. */
const judge = (payload: CorpusPayload): readonly string[] | undefined => {
  const { row } = payload
  const want = row['expected_canonical'] ?? '-'
  const result = readingOf(payload)
  if (result.outcome === 'quarantined') return want.includes('quarantine') ? [] : [result.reason]
  const canonical = canonicalOf(result.reading)
  if (want.startsWith('card:')) {
    if (canonical.kind !== 'agent-card') return [`kind ${canonical.kind}`]
    return want === 'card:ok' && canonical.missing !== undefined
      ? [`missing ${canonical.missing.join()}`]
      : []
  }
  if (want.startsWith('list:')) {
    const states = (canonical.tasks ?? []).map(({ state }) => state).join(',')
    return states === want.slice(5) ? [] : [`tasks ${states}`]
  }
  if (want.startsWith('error:')) return judgeError(want, canonical)
  if (want.startsWith('no-change') || want === 'no-information') {
    const isQuiet = canonical.state === undefined && canonical.error === undefined
    return [...(isQuiet ? [] : ['a state or an error where none is']), ...judgeIds(row, canonical)]
  }
  if (!/^[a-z-]+$/.test(want)) return undefined
  return [
    ...(canonical.state === want ? [] : [`state ${canonical.state}, not ${want}`]),
    ...judgeIds(row, canonical),
  ]
}

const payloads = corpusPayloads.filter(({ row }) => row['expected_canonical'] !== '-')

describe.skipIf(!hasSharedCases)('the payload corpus beside the repository (../shared/cases)', () => {
  test('every judged payload is understood as its manifest says, but for those argued', () => {
    const wrong = payloads.flatMap((payload) => {
      const problems = judge(payload) ?? []
      return problems.length === 0 ? [] : [{ file: payload.row['file'] ?? '', problems }]
    })
    expect(wrong.filter(({ file }) => !argued.has(file))).toEqual([])
    expect(wrong.map(({ file }) => file)).toEqual(
      [...argued.keys()].filter((file) => payloads.some(({ row }) => row['file'] === file)),
    )
  })

  test('media types differ from the reference mapping only where it counts messages as artifacts', () => {
    const kinds = ['task', 'artifact-update', 'message', 'stream-response']
    const differing = payloads.filter((payload) => {
      const { row } = payload
      if (!kinds.includes(row['kind'] ?? '') || row['media_types'] === '-') return false
      const result = readingOf(payload)
      if (result.outcome !== 'read') return false
      const { mediaTypes = [], mediaTypesImplied = [] } = canonicalOf(result.reading)
      const given = [...mediaTypes, ...mediaTypesImplied.map((type) => `${type}*`)].sort()
      const wanted = [...new Set((row['media_types'] ?? '').split(/\s*,\s*/))].sort()
      return given.join() !== wanted.join()
    })
    const isCountingMessages = ({ text }: CorpusPayload): boolean => /"(?:history|message)"\s*:/.test(text)
    expect(differing.filter((payload) => !isCountingMessages(payload)).map(({ row }) => row['file'])).toEqual([])
  })
})
