/** Views of one task, derived when read (F2): from its facts, its workers and the database's clock. */
import {
  compactFacts,
  contentBytesOf,
  contentKey,
  explainTask,
  fallsInsideRun,
  LedgerError,
  suggestedLink,
  taskView,
  timelineOf,
  type ContentRef,
  type RootCause,
  type SuggestedLink,
  type TaskAnalysis,
  type TaskFact,
  type TaskView,
  type TimelineEntry,
  type VariantAnalysis,
} from '@a2a-ledger/domain'
import { analysisOf, inputOf, type Fold } from './analyse.ts'
import { heldBecause, type MessageSender } from './execute-redispatch.ts'
import { amongOthers, loadFamily, type FamilyPorts } from './load-family.ts'
import type { ContentDigest, FactStore, FeedReader, TaskLookup } from './ports.ts'

/** Children of children are followed as far as the domain follows them. */
const familyDepthMax = 8

export interface ReadPorts {
  readonly feed: Pick<FeedReader, 'at'>
  readonly store: FactStore
  readonly fold: Fold
  readonly sender: Pick<MessageSender, 'refusal'>
}

/** A task, or where it went. */
export type Reading<Content> =
  | { readonly outcome: 'found'; readonly content: Content; readonly appliedPosition: number }
  | { readonly outcome: 'merged'; readonly into: string }

/** Errors: throws `task_not_found`. */
export async function readTask(
  ports: ReadPorts,
  correlationId: string,
): Promise<Reading<TaskView & { readonly suggestedLinks?: readonly SuggestedLink[] }>> {
  return reading(ports, correlationId, async (analysis) => {
    const view = taskView(analysis, await contentsOf(ports, analysis), await loadFamily(ports, analysis, 1))
    const suggested = await ports.store.suggestionsFor(correlationId, suggestionsMax)
    const held = await heldBecause(ports, analysis)
    return {
      ...view,
      ...(view.verdict !== undefined && held !== undefined && { verdict: { ...view.verdict, held } }),
      ...(suggested.length > 0 && { suggestedLinks: suggested.map(suggestedLink) }),
    }
  })
}

/** The artifacts of a task as its view shows them. */
export async function artifactsOf(ports: ReadPorts, analysis: TaskAnalysis): Promise<TaskView['artifacts']> {
  return taskView(analysis, await contentsOf(ports, analysis)).artifacts
}

/** A task that shares its content with more is routine, and its suggestions are in the list. */
const suggestionsMax = 20

/** Errors: throws `task_not_found`. */
export async function readRootCause({ store, fold }: ReadPorts, correlationId: string): Promise<Reading<RootCause>> {
  const ports = { store: amongOthers(store), fold }
  return reading(ports, correlationId, async (analysis) => explainTask(analysis, await loadFamily(ports, analysis, familyDepthMax)))
}

export interface TimelinePage {
  readonly entries: readonly TimelineEntry[]
  readonly next: number | null
}

/** Facts that are folded for one page: each entry folds all that stand before it. */
const foldedFactsMax = 100_000

/**
 * The events of a task after position `after`, and what each changed. Errors: throws `task_not_found`.
 *
 * A page of a long task holds fewer than `limit` entries, so that its cost is bounded; `next` leads on.
 */
export async function readTimeline(
  ports: ReadPorts,
  correlationId: string,
  after: number,
  limit: number,
): Promise<Reading<TimelinePage>> {
  const { content, appliedPosition, asOfMs } = await ports.store.wholeTasks([correlationId])
  const lookup = found(content.get(correlationId))
  if (lookup.outcome === 'merged') return lookup
  const positions = await ports.store.positionsOf(correlationId, after, limit + 1)
  const facts = factsForPage(lookup.record.facts, positions)
  const fitting = Math.max(1, Math.floor(foldedFactsMax / Math.max(1, facts.length)))
  const page = positions.slice(0, Math.min(limit, fitting))
  const events = await ports.feed.at(page)
  const entries = timelineOf(inputOf({ ...lookup.record, facts }, asOfMs, ports.fold), events)
  const next = positions.length > page.length ? (page.at(-1) ?? null) : null
  return { outcome: 'found', content: { entries, next }, appliedPosition }
}

/** The facts up to the end of a page; before it without the inside of runs, where that says the same (F1). */
function factsForPage(facts: readonly TaskFact[], page: readonly number[]): readonly TaskFact[] {
  const [first = 0] = page
  const last = page.at(-1) ?? 0
  const before = compactFacts(facts.filter(({ position }) => position < first))
  const inPage = facts.filter(({ position }) => position >= first && position <= last)
  return inPage.some((fact) => fallsInsideRun(before, fact))
    ? facts.filter(({ position }) => position <= last)
    : [...before, ...inPage]
}

export interface ArtifactContent {
  readonly bytes: Uint8Array
  readonly mediaType: string
  /** 64 hex digits. */
  readonly digest: string
}

/**
 * The content of one artifact: of its canonical variant, or of the one of `(workerId, taskId)`.
 *
 * Errors: throws `task_not_found`, `artifact_not_found`, `content_by_reference` or `payload_erased`.
 */
export async function readArtifact(
  ports: ReadPorts,
  correlationId: string,
  key: string,
  of: { readonly workerId?: string | undefined; readonly taskId?: string | undefined },
): Promise<Reading<ArtifactContent>> {
  return reading(ports, correlationId, async (analysis) => {
    const artifact = analysis.artifacts.find((candidate) => candidate.key === key)
    const variants = artifact === undefined ? [] : [artifact.canonical, ...artifact.variants]
    const isNamed = of.workerId !== undefined || of.taskId !== undefined
    const variant = isNamed
      ? variants.find(
          ({ workerId, taskId }) => (of.workerId ?? workerId) === workerId && (of.taskId ?? taskId) === taskId,
        )
      : artifact?.canonical
    if (variant === undefined) {
      const keys = analysis.artifacts.slice(0, 20).map((known) => known.key)
      throw new LedgerError('artifact_not_found', `The task has no such artifact; it has: ${keys.join(', ') || 'none'}.`)
    }
    if (variant.isLinked) {
      throw new LedgerError('content_by_reference', 'The artifact is a URL; what is there was never recorded.')
    }
    const bytes = await contentOf(ports, variant.content)
    if (bytes === undefined) throw new LedgerError('payload_erased', 'The event that carried this content was erased.')
    const [mediaType = 'application/octet-stream', ...others] = variant.mediaTypes
    return {
      bytes,
      mediaType: others.length === 0 ? mediaType : 'application/octet-stream',
      digest: ports.fold.codec.sha256Hex(bytes),
    }
  })
}

async function reading<Content>(
  ports: FamilyPorts,
  correlationId: string,
  read: (analysis: TaskAnalysis) => Promise<Content>,
): Promise<Reading<Content>> {
  const { content, appliedPosition, asOfMs } = await ports.store.tasks([correlationId])
  const lookup = found(content.get(correlationId))
  if (lookup.outcome === 'merged') return lookup
  return { outcome: 'found', content: await read(analysisOf(lookup.record, asOfMs, ports.fold)), appliedPosition }
}

function found(lookup: TaskLookup | undefined): Exclude<TaskLookup, { readonly outcome: 'unknown' }> {
  if (lookup === undefined || lookup.outcome === 'unknown') {
    throw new LedgerError('task_not_found', 'No event that was applied so far carries this correlation ID.')
  }
  return lookup
}

/** Length and digest of every variant whose content comes from more than one event. */
async function contentsOf(ports: ReadPorts, analysis: TaskAnalysis): Promise<ReadonlyMap<string, ContentDigest>> {
  const wanted = new Map<string, VariantAnalysis>()
  for (const { canonical, variants } of analysis.artifacts) {
    for (const variant of [canonical, ...variants]) {
      if (variant.content.length > 1) wanted.set(contentKey(variant.content), variant)
    }
  }
  if (wanted.size === 0) return new Map()
  const known = new Map(await ports.store.knownContents([...wanted.keys()]))
  for (const [key, variant] of wanted) {
    if (known.has(key)) continue
    const bytes = await contentOf(ports, variant.content)
    if (bytes === undefined) continue
    const content = { bytes: bytes.length, digest: ports.fold.codec.sha256Hex(bytes) }
    await ports.store.rememberContent(key, content)
    known.set(key, content)
  }
  return known
}

/** The stretches one after the other; `undefined` when one of them was erased. */
async function contentOf(ports: ReadPorts, content: readonly ContentRef[]): Promise<Uint8Array | undefined> {
  const positions = [...new Set(content.map(({ position }) => position))]
  const events = new Map((await ports.feed.at(positions)).map((event) => [event.position, event]))
  return contentBytesOf(content, events, ports.fold.codec)
}
