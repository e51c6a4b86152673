/**
 * Everything seen goes through here: into the spool at once, from there to the ledger in order.
 *
 * The call that is watched never waits. While the ledger is away the spool grows up to its bound;
 * beyond it events are counted instead of kept, by worker and reason, and the count becomes a
 * report that stands in the spool where the events would have stood. What is counted and not
 * reported yet is noted beside the spool, so that a process that is killed leaves its count behind.
 */
import { type GapReason, LedgerError, rfc3339Of } from '@a2a-ledger/domain'
import type { GapReport, LedgerWriter, Log, Spool, SpoolEntry, SpoolNotes, Timer, Told, WallClock, WitnessedEvent } from './ports.ts'

export interface RecorderPorts {
  /** The `source` of everything that this witness sees. */
  readonly source: string
  readonly spool: Spool
  readonly ledger: LedgerWriter
  readonly timer: Timer
  readonly clock: WallClock
  readonly log: Log
  readonly newId: () => string
  /** From 0 to 1, so that many proxies do not come back at once. */
  readonly chance: () => number
}

export interface Recorder {
  readonly record: (event: WitnessedEvent) => void
  /** Counts what was seen and is not kept: so many events of these types. */
  readonly miss: (missed: Missed) => void
  /** Counts entries that the spool took and could not write. */
  readonly lost: (entries: readonly SpoolEntry[]) => void
  /** A call began; the result ends it. */
  readonly callRuns: (workerId: string) => () => void
  readonly status: () => RecorderStatus
  /** Ends telling: what the ledger does not take within `atMostMs` stays in the spool. */
  readonly stop: (atMostMs: number) => Promise<void>
}

export interface RecorderStatus {
  readonly isLedgerAnswering: boolean
  /** Since the start. */
  readonly toldEvents: number
  readonly missedEvents: number
  /** Counts that are not in the spool yet: the ledger hears of them when there is room. */
  readonly untoldGaps: number
}

export interface Missed {
  readonly workerId: string
  readonly reason: GapReason
  readonly byType: Readonly<Record<string, number>>
  readonly calls?: number
  readonly isExact?: boolean
  /** Absent: now. */
  readonly from?: string
}

const tellCountMax = 500
const retryMsMin = 100
const retryMsMax = 5_000
const idleMs = 250

/** `left`: what a process before this one noted and did not clear; `wasKilled`: it did not end properly. */
export function createRecorder(ports: RecorderPorts, left: { readonly notes: SpoolNotes; readonly wasKilled: boolean } | undefined): Recorder {
  const { source, spool, ledger, timer, clock, log, newId, chance } = ports
  const gaps = new Map<string, GapReport>()
  const running = new Map<string, number>()
  let missedEvents = 0
  let toldEvents = 0
  let isLedgerAnswering = true
  let isStopping = false

  const now = (): string => rfc3339Of(clock())
  const note = (): void => spool.note({ gaps: [...gaps.values()], runningCalls: Object.fromEntries(running), at: now() })

  /** Adds a report to what is counted for its worker and reason. */
  const add = (report: GapReport): void => {
    const key = JSON.stringify([report.workerId, report.reason])
    const before = gaps.get(key)
    const byType: Record<string, number> = { ...before?.byType }
    for (const [type, count] of Object.entries(report.byType)) byType[type] = (byType[type] ?? 0) + count
    const calls = (before?.calls ?? 0) + (report.calls ?? 0)
    gaps.set(key, {
      ...report,
      id: before?.id ?? report.id,
      from: before?.from ?? report.from,
      events: (before?.events ?? 0) + report.events,
      byType,
      ...(calls > 0 && { calls }),
      isExact: (before?.isExact ?? true) && report.isExact,
    })
    note()
  }

  const miss = ({ workerId, reason, byType, calls, isExact = true, from }: Missed): void => {
    const events = sumOf(Object.values(byType))
    missedEvents += events
    const to = now()
    add({ id: newId(), workerId, witness: source, reason, from: from ?? to, to, events, byType, ...(calls !== undefined && { calls }), isExact })
  }

  /** Puts what was counted into the spool, as far as there is room; what follows stands behind it. */
  const settleGaps = (): boolean => {
    for (const [key, report] of gaps) {
      if (!spool.append({ kind: 'gap', report })) return false
      gaps.delete(key)
      note()
    }
    return true
  }

  const record = (event: WitnessedEvent): void => {
    if (settleGaps() && spool.append({ kind: 'event', event })) return
    const { workerid, type } = event.attributes
    miss({ workerId: workerid ?? '', reason: 'spool_full', byType: { [type]: 1 } })
  }

  const lost = (entries: readonly SpoolEntry[]): void => {
    for (const entry of entries) {
      if (entry.kind === 'event') miss({ workerId: entry.event.attributes.workerid ?? '', reason: 'spool_failed', byType: { [entry.event.attributes.type]: 1 } })
      else add(entry.report)
    }
  }

  const restore = (): void => {
    if (left === undefined) return
    for (const report of left.notes.gaps) add(report)
    if (!left.wasKilled) return
    for (const [workerId, calls] of Object.entries(left.notes.runningCalls)) {
      miss({ workerId, reason: 'killed', byType: {}, calls, isExact: false, from: left.notes.at })
    }
    settleGaps() // before anything is added to what may be in the spool already under the same id
  }

  const callRuns = (workerId: string): (() => void) => {
    running.set(workerId, (running.get(workerId) ?? 0) + 1)
    note()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const rest = (running.get(workerId) ?? 1) - 1
      if (rest === 0) running.delete(workerId)
      else running.set(workerId, rest)
      note()
    }
  }

  const tell = async (entries: readonly SpoolEntry[]): Promise<void> => {
    const run = leadingRun(entries)
    const told = run.kind === 'event' ? await ledger.events(run.events) : await ledger.gaps(run.reports)
    isLedgerAnswering = true
    await spool.advance(told.length)
    toldEvents += told.filter(({ outcome }) => outcome === 'kept').length
    for (const [at, each] of told.entries()) if (each.outcome === 'refused') refused(entries[at], each)
  }

  const refused = (entry: SpoolEntry | undefined, { detail }: Told & { outcome: 'refused' }): void => {
    if (entry?.kind !== 'event') {
      log.error({ detail, report: entry?.report }, 'the ledger does not take a report of a gap')
      return
    }
    const { id, type, workerid = '' } = entry.event.attributes
    log.error({ detail, id, type }, 'the ledger does not take an event')
    miss({ workerId: workerid, reason: 'rejected', byType: { [type]: 1 } })
  }

  const tellAll = async (): Promise<void> => {
    let retryMs = retryMsMin
    for (;;) {
      try {
        const entries = await spool.peek(tellCountMax)
        if (entries.length > 0) await tell(entries)
        else if (gaps.size > 0 && settleGaps()) continue
        else if (isStopping && spool.status().entries === 0) return // what is not written yet comes in a moment
        else await spool.more(idleMs)
        retryMs = retryMsMin
      } catch (error) {
        if (!(error instanceof LedgerError) || error.kind !== 'unavailable') throw error
        if (isLedgerAnswering) log.warn({ detail: error.detail, ...spool.status() }, 'the ledger is away; what is seen waits in the spool')
        isLedgerAnswering = false
        if (isStopping) return
        await timer.after(retryMs * (0.5 + chance() / 2))
        retryMs = Math.min(retryMs * 2, retryMsMax)
      }
    }
  }

  restore()
  const telling = tellAll().catch((error: unknown) => log.error({ err: error }, 'telling the ledger ended; what is seen stays in the spool'))

  return {
    record,
    miss,
    lost,
    callRuns,
    status: () => ({ isLedgerAnswering, toldEvents, missedEvents, untoldGaps: gaps.size }),
    stop: async (atMostMs) => {
      isStopping = true
      const stayingAlive = setInterval(() => undefined, idleMs) // between two attempts nothing else may hold the process
      await Promise.race([telling, timer.after(atMostMs)])
      clearInterval(stayingAlive)
    },
  }
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

type Run =
  | { readonly kind: 'event'; readonly events: readonly WitnessedEvent[] }
  | { readonly kind: 'gap'; readonly reports: readonly GapReport[] }

/** The entries of one kind at the beginning, since each kind has a door of its own. */
function leadingRun(entries: readonly SpoolEntry[]): Run {
  const events: WitnessedEvent[] = []
  const reports: GapReport[] = []
  for (const entry of entries) {
    if (entry.kind === 'event' && reports.length === 0) events.push(entry.event)
    else if (entry.kind === 'gap' && events.length === 0) reports.push(entry.report)
    else break
  }
  return events.length > 0 ? { kind: 'event', events } : { kind: 'gap', reports }
}
