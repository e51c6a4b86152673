/**
 * Does the probes that are planned, and plans those that are due.
 *
 * A probe is whatever is recorded of it, so any process may go on with any probe: with its own at once, with
 * another one's when nothing of it was recorded for a while. The ledger tells whose step it is; nothing
 * here has to.
 */
import { isRestartedSince, probeRecordOf, type ProbeStepFact } from '@a2a-ledger/domain'
import { keepGoing, type Going } from './keep-going.ts'
import type { Log, OpenProbe, ProbeRunOutcome, Timer } from './ports.ts'
import { entriesOf, recordPlan, settingsOf, type ProbePorts } from './start-probe.ts'

export interface ProbingPorts extends Omit<ProbePorts, 'wakeProbing'> {
  readonly log: Log
  readonly timer: Timer
  /** Two texts in, one id out: the same in every process. */
  readonly idOf: (...parts: readonly string[]) => string
}

const pollMs = 1_000
/** Probes that run at the same time, in this process. */
const runningMax = 4
const openMax = 1_000
/** A probe of another process is left alone this long after its last moment. */
const abandonedAfterMs = 15_000
/** How long a probe is let be before it is looked at again. */
const restMs: Readonly<Record<ProbeRunOutcome['outcome'] | 'failed', number>> = { closed: 0, parked: 2_000, taken: 2_000, stopped: 0, failed: 5_000 }

export function keepProbing(ports: ProbingPorts, isActive: () => boolean): Going {
  const { store, log, timer } = ports
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const own = new Set<string>()
  const restsUntilMs = new Map<string, number>()

  const keyOf = ({ workerId, probeId }: OpenProbe): string => JSON.stringify([workerId, probeId])

  const goOn = async (probe: OpenProbe): Promise<void> => {
    const key = keyOf(probe)
    let end: keyof typeof restMs = 'failed'
    try {
      end = await look(ports, probe, own.has(key), stopping.signal, () => own.add(key))
    } catch (error) {
      log.warn({ ...probe, error: error instanceof Error ? error.message : String(error) }, 'a probe cannot go on now')
    }
    restsUntilMs.set(key, timer.elapsedMs() + restMs[end])
    running.delete(key)
    if (end === 'closed') own.delete(key)
  }

  const turn = async (): Promise<number> => {
    if (!isActive()) return pollMs
    for (const { workerId, plannedAtMs } of await store.dueProbes(runningMax)) {
      await planDue(ports, workerId, plannedAtMs)
    }
    const open = await store.openProbes(openMax)
    // Who waited longest comes first, or a few that are parked would keep all others from being looked at.
    const restOf = (probe: OpenProbe): number => restsUntilMs.get(keyOf(probe)) ?? 0
    const waiting = open.filter((probe) => !running.has(keyOf(probe)) && restOf(probe) <= timer.elapsedMs())
    const next = waiting.toSorted((one, other) => restOf(one) - restOf(other)).slice(0, runningMax - running.size)
    for (const probe of next) running.set(keyOf(probe), goOn(probe))
    const known = new Set(open.map(keyOf))
    for (const key of restsUntilMs.keys()) if (!known.has(key)) restsUntilMs.delete(key)
    return pollMs
  }

  const going = keepGoing(turn, {
    timer,
    retryMs: pollMs,
    onFailure: (error) => log.warn({ error: error instanceof Error ? error.message : String(error) }, 'probes cannot be done now'),
  })
  return {
    wake: going.wake,
    stop: async () => {
      stopping.abort()
      await going.stop()
      await Promise.all(running.values())
    },
  }
}

/** The id comes from the plan before, so that several processes plan one probe. */
async function planDue(ports: ProbingPorts, workerId: string, plannedAtMs: number | undefined): Promise<void> {
  const worker = (await ports.store.worker(workerId)).content
  if (worker === undefined) return
  await recordPlan(ports, workerId, ports.idOf(workerId, String(plannedAtMs ?? 0)), settingsOf(worker), {})
}

async function look(
  { store, prober }: ProbingPorts,
  { workerId, probeId }: OpenProbe,
  isOwn: boolean,
  stopping: AbortSignal,
  begin: () => void,
): Promise<ProbeRunOutcome['outcome']> {
  const { content: worker, asOfMs } = await store.worker(workerId)
  const facts = await store.probe(workerId, probeId)
  const record = probeRecordOf(entriesOf(facts))
  if (worker === undefined || record === undefined) return 'taken'
  const lastMs = Math.max(...facts.map(({ atMs }) => atMs))
  const isNew = facts.length === 1
  const parked = record.ended.find(({ step }) => step === 'parked')
  if (!isOwn && !isNew && parked === undefined && asOfMs - lastMs < abandonedAfterMs) return 'taken'
  begin()
  const settings = settingsOf(worker)
  const isWanted = settings.interface !== undefined && settings.probe?.enabled !== false
  const isRestarted = parked !== undefined && isRestartedSince({ workerId, facts: worker.facts, losses: [] }, parked.atMs)
  const { outcome } = await prober.run(
    {
      workerId,
      probeId,
      address: settings.interface ?? { url: addressIn(facts) },
      headers: await store.secretHeaders(workerId),
      plan: record.plan,
      entries: entriesOf(facts),
      restart: !isWanted ? 'never' : isRestarted ? 'known' : 'unknown',
    },
    stopping,
  )
  return outcome
}

/** A worker whose address is no longer enrolled is only cleaned up after, where it was. */
const addressIn = (facts: readonly ProbeStepFact[]): string =>
  facts.flatMap(({ moment }) => (moment.phase === 'ended' ? (moment.learned?.card?.targets[0]?.url ?? []) : []))[0] ?? 'http://invalid.invalid/'
