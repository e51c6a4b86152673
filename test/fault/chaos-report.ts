import type { inspectLedger } from './inspect-ledger.ts'

export type ChaosReport = Awaited<ReturnType<typeof inspectLedger>> & {
  readonly retries: number
  /** What a reader of the topic saw who goes by `ce_prev`. */
  readonly feed: { readonly duplicates: number; readonly gaps: readonly string[]; readonly disordered: readonly string[] }
  /** Verdicts, by position, that the decisions topic lacks. */
  readonly undelivered: readonly number[]
  /** The last word of `rebuild --check`. */
  readonly views: string
  /** Tasks whose view is another one where the same events went through the embedded form. */
  readonly differsFromEmbedded: readonly string[]
  /** How long each part took. */
  readonly tookMs: Readonly<Record<'start' | 'write' | 'settle' | 'check', number>>
  /** What was promised and does not hold. */
  readonly broken: readonly string[]
  /** The folder that tells how it came about, where something is broken. */
  readonly evidence: string | undefined
}

type Report = Omit<ChaosReport, 'broken' | 'evidence'>

const promises: Readonly<Record<string, (report: Report) => boolean>> = {
  'every acknowledged event is there once': ({ misplaced, repeated }) => misplaced.length === 0 && repeated.length === 0,
  'positions are dense': ({ isDense }) => isDense,
  'every event is on the feed, and before it what it follows': ({ isReaderComplete, feed }) => isReaderComplete && feed.gaps.length === 0,
  'the events of a key are in order on the feed': ({ feed }) => feed.disordered.length === 0,
  'every verdict is on the decisions topic': ({ undelivered }) => undelivered.length === 0,
  'no question is decided twice': ({ decidedTwice }) => decidedTwice.length === 0,
  'views are those of a rebuild': ({ views }) => views.endsWith('every view is the same, byte by byte.'),
  'views are those of the embedded form': ({ differsFromEmbedded }) => differsFromEmbedded.length === 0,
}

/** What the distributed form promises and this run does not show. */
export const brokenPromises = (report: Report): readonly string[] =>
  Object.entries(promises).flatMap(([promise, holds]) => (holds(report) ? [] : [promise]))
