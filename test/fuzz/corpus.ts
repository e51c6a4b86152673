/**
 * What the mutations start from: every body written for the tests of the domain, the recorded
 * histories, what fuzzing found before, and the cases beside the repository where they are there.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { bodies, capturedAnswers, corpusPayloads } from '@a2a-ledger/domain/testing/wire'

/** One event before it has an id: attributes as CloudEvents names them, data as they came. */
export interface CorpusEvent {
  readonly attributes: Readonly<Record<string, string>> & { readonly type: string }
  readonly text: string
}

export interface Corpus {
  /** Events by themselves, of every shape. */
  readonly events: readonly CorpusEvent[]
  /** Events that tell a story together, in order. */
  readonly histories: readonly (readonly CorpusEvent[])[]
}

interface Told {
  readonly type: string
  readonly data: unknown
  readonly t?: number
  readonly witness?: string
  readonly [attribute: string]: unknown
}

const recorded = new URL('../replay/histories/', import.meta.url)
const scenarios = new URL('../../../shared/cases/scenarios/', import.meta.url)
const startMs = Date.parse('2026-11-01T10:00:00Z')

const jsonFilesIn = (folder: URL, suffix: string): readonly unknown[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(suffix))
        .sort()
        .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as unknown)
    : []

const eventOf = ({ type, data, t, witness, ...attributes }: Told): CorpusEvent => ({
  attributes: {
    type,
    ...(t !== undefined && { time: new Date(startMs + t * 1_000).toISOString() }),
    ...(witness !== undefined && { source: `urn:fuzz:${witness}` }),
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)])),
  },
  text: JSON.stringify(data),
})

/** Reads the corpus anew; the same files give the same corpus in the same order. */
export const readCorpus = (): Corpus => {
  const histories = [
    ...(jsonFilesIn(recorded, '.history.json') as { readonly events: readonly Told[] }[]).map(({ events }) => events),
    ...(jsonFilesIn(scenarios, '.json') as { readonly steps: readonly { readonly observe?: readonly Told[] }[] }[]).map(({ steps }) =>
      steps.flatMap(({ observe }) => observe ?? []),
    ),
  ].map((events) => events.map(eventOf))
  const own = bodies.map(({ context, text }) => ({
    attributes: {
      type: context.type,
      ...(context.operation !== undefined && { operation: context.operation }),
      ...(context.binding !== undefined && { binding: context.binding }),
      ...(context.protocolVersion !== undefined && { protocolversion: context.protocolVersion }),
      ...(context.httpStatus !== undefined && { httpstatus: String(context.httpStatus) }),
      ...(context.taskId !== undefined && { taskid: context.taskId }),
    },
    text,
  }))
  const captured = capturedAnswers.flatMap(({ attributes, frames }) => frames.map((text) => ({ attributes, text })))
  const payloads = corpusPayloads.map(({ attributes, text }) => ({ attributes, text }))
  return {
    events: [...own, ...payloads, ...captured, ...histories.flat()],
    histories: histories.filter((events) => events.length > 0),
  }
}
