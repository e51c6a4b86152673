import { factsOf, LedgerError, type LedgerEvent, type TaskFact, type WorkerFact, type WatchQuestion } from '@a2a-ledger/domain'
import { testCodec } from '@a2a-ledger/domain/testing'
import { describe, expect, it } from 'vitest'
import { observeWorker } from './observe-worker.ts'
import type { Observed, TaskRecord, WorkerRecord } from './ports.ts'

const startMs = 1_767_225_600_000
const event = (position: number, type: string, correlationId: string, data: unknown, attributes: object = {}): LedgerEvent => ({
  position,
  recordedAtMs: startMs,
  attributes: { specversion: '1.0', id: `e-${position}`, source: 'urn:test', type, workerid: 'w', time: new Date(startMs).toISOString(), ...attributes },
  correlationId,
  rung: 'explicit',
  data: JSON.stringify(data),
  digest: undefined,
})
const working = (taskId: string, position: number): readonly TaskFact[] =>
  factsOf(event(position, 'a2a.task', `k-${taskId}`, { id: taskId, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }, { operation: 'GetTask', taskid: taskId }), testCodec).stream
const enrolled = (observe: object | null, url: string | null): readonly WorkerFact[] =>
  factsOf(event(1, 'reconciler.worker-enrolled', '~w', { ...(url !== null && { interface: { url } }), ...(observe !== null && { observe }) }), testCodec).worker

type Came = Omit<Observed, 'events'>
const answered: Came = { outcome: 'answered', digest: 'a', isEnded: false }
const silent: Came = { outcome: 'unanswered', digest: 's', isEnded: false }

interface Scene {
  readonly taskIds?: readonly string[]
  /** `null`: the enrolment says nothing of it. */
  readonly observe?: object | null
  readonly answer?: (question: WatchQuestion) => Came
  /** How often the ledger does not take what it is told. */
  readonly outages?: number
  readonly callsPerMinuteMax?: number
  /** Sends that got no answer, at the beginning of time. */
  readonly silentSends?: readonly string[]
  readonly canList?: boolean
  readonly hasCard?: boolean
  /** `null`: none is enrolled. */
  readonly address?: string | null
}

/** An observation whose time goes on only when somebody waits. */
function stage({ taskIds = ['t1'], observe = { enabled: true, pollMs: 10_000 }, answer = () => answered, outages = 0, callsPerMinuteMax = 6_000, silentSends = [], canList = true, hasCard = true, address = 'https://w.test/' }: Scene) {
  let now = 0
  let outagesLeft = outages
  const asked: string[] = []
  const log: string[] = []
  const stopping = new AbortController()
  const records = new Map(
    taskIds.map((taskId, at): [string, TaskRecord] => [
      `k-${taskId}`,
      { correlationId: `k-${taskId}`, firstPosition: at + 2, lastPosition: at + 2, facts: working(taskId, at + 2), compactedCount: 0, workers: new Map() },
    ]),
  )
  const worker: WorkerRecord = { workerId: 'w', firstPosition: 1, facts: enrolled(observe, address), evidence: [], enrolment: { position: 1, eventId: 'e-1' } }
  const moment = { appliedPosition: 100, asOfMs: startMs }
  const seconds = (): number => Math.round(now / 100) / 10
  const tell = (_details: object, message: string): void => void log.push(message)
  const observation = observeWorker(
    {
      store: {
        openTasks: async () => [...records.keys()].map((correlationId) => ({ correlationId, settledPosition: 1 })),
        tasks: async (ids) => ({ ...moment, content: new Map(ids.map((id) => [id, { outcome: 'found', record: records.get(id)! }])) }),
        worker: async () => ({ ...moment, content: worker }),
        secretHeaders: async () => ({}),
        silentSends: async (_workerId, sinceMs) => (sinceMs > startMs ? [] : silentSends.map((correlationId) => ({ correlationId, heardMs: startMs }))),
      },
      feed: { at: async () => [] },
      lines: {
        open: () => ({
          readCard: async () => {
            asked.push(`${seconds()} card`)
            return hasCard ? [] : undefined
          },
          bindings: () => ['JSONRPC'],
          getTask: async (question) => {
            asked.push(`${seconds()} ${question.taskId}`)
            const attributes = { specversion: '1.0' as const, id: `o-${asked.length}`, source: 'urn:o', type: 'a2a.response' }
            return { events: [{ attributes, bytes: new Uint8Array() }], ...answer(question) }
          },
          canList: () => canList,
          listTasks: async (changedSinceMs) => {
            asked.push(`${seconds()} since ${(changedSinceMs - startMs) / 1_000}`)
            return { ...answered, events: [] }
          },
          isStreaming: () => false,
          follow: async () => undefined,
          close: async () => undefined,
        }),
      },
      witness: {
        observeAll: async (events) => {
          if (outagesLeft > 0) {
            outagesLeft -= 1
            throw new LedgerError('ledger_unavailable', 'away')
          }
          return events.map(() => ({ outcome: 'recorded', position: 1, correlationId: 'k' }))
        },
      },
      fold: { codec: testCodec, settings: { graceMs: 30_000, silentAfterMs: 86_400_000 } },
      timer: { elapsedMs: () => now, after: async (ms) => void (now += ms) },
      log: { info: tell, warn: tell, error: tell },
      nowMs: () => startMs + now,
      random: () => 0.5,
      backOff: () => {
        let ms = 500
        return () => (ms *= 2)
      },
      callsPerMinuteMax,
      onCall: () => undefined,
    },
    'w',
  )
  /** Rounds until `untilMs` have gone by. */
  const go = async (untilMs: number): Promise<void> => {
    while (now < untilMs) {
      const waitMs = await observation.round(1, stopping.signal)
      now += Math.max(1, waitMs)
    }
  }
  return { asked, log, observation, go }
}

/** What was asked, without the cards. */
const tasksIn = (asked: readonly string[]): readonly string[] => asked.filter((each) => !each.endsWith('card'))

describe('a worker that is observed', () => {
  it('of which no address is enrolled is not called, and the log says so once', async () => {
    const { asked, log, go } = stage({ address: null })
    await go(60_000)
    expect(asked).toEqual([])
    expect(log).toEqual(['a worker is not observed: no address of it is enrolled'])
  })

  it('is asked for its card before anything else, then about each task, and again after the interval', async () => {
    const { asked, go } = stage({ taskIds: ['t1', 't2'] })
    await go(10_500)
    expect(asked).toEqual(['0 card', '0 t1', '0 t2', '10 t1', '10 t2'])
  })

  it('is not called where no task of it is open', async () => {
    const { asked, go } = stage({ taskIds: [] })
    await go(60_000)
    expect(asked).toEqual([])
  })

  it.each([
    ['it is not to be', { enabled: false }],
    ['nobody said so', null],
  ])('is not called where %s', async (_fact, observe) => {
    const { asked, go } = stage({ observe })
    await go(60_000)
    expect(asked).toEqual([])
  })

  it('is asked for no more than its budget', async () => {
    const { asked, go } = stage({ taskIds: Array.from({ length: 20 }, (_, at) => `t${at}`), observe: { enabled: true, pollMs: 100 }, callsPerMinuteMax: 60 })
    await go(60_000)
    expect(asked.length).toBeLessThanOrEqual(64)
    expect(asked.length).toBeGreaterThan(55)
    expect(new Set(tasksIn(asked).map((each) => each.split(' ')[1])).size).toBe(20)
  })

  it('that answers nobody is left alone for longer and longer', async () => {
    const { asked, observation, go } = stage({ taskIds: ['t1'], observe: { enabled: true, pollMs: 100 }, answer: () => silent })
    await go(5)
    expect(observation.isSilent()).toBe(true)
    await go(31_500)
    expect(tasksIn(asked)).toEqual(['0 t1', '1 t1', '3 t1', '7 t1', '15 t1', '31 t1'])
  })

  it('that answers again is asked about every open task, and for its card', async () => {
    let isBack = false
    const taskIds = ['t1', 't2', 't3', 't4', 't5']
    const { asked, observation, go } = stage({ taskIds, answer: () => (isBack ? answered : silent) })
    await go(500)
    expect(observation.isSilent()).toBe(true)
    isBack = true
    const before = asked.length
    await go(3_000)
    expect(observation.isSilent()).toBe(false)
    const after = asked.slice(before).map((each) => each.split(' ')[1])
    expect(after).toContain('card')
    expect(new Set(after)).toEqual(new Set(['card', ...taskIds]))
  })

  it('of which one task alone gets no answer is no silent one', async () => {
    const { observation, go } = stage({ taskIds: ['t1', 't2'], answer: ({ taskId }) => (taskId === 't1' ? silent : answered) })
    await go(5)
    expect(observation.isSilent()).toBe(false)
  })

  it('that wants to be left alone is, but not for good', async () => {
    const { asked, go } = stage({ observe: { enabled: true, pollMs: 1_000 }, answer: () => ({ ...answered, retryAfterMs: 999_999_999 }) })
    await go(599_000)
    expect(tasksIn(asked)).toEqual(['0 t1'])
    await go(601_000)
    expect(tasksIn(asked)).toEqual(['0 t1', '600 t1'])
  })

  it('whose address must not be called is tried again after five minutes', async () => {
    const { asked, log, observation, go } = stage({ observe: { enabled: true, pollMs: 1_000 }, answer: () => ({ outcome: 'not-called', digest: '', isEnded: false, detail: 'no' }) })
    await go(300_500)
    expect(tasksIn(asked)).toEqual(['0 t1', '300 t1'])
    expect(log).toEqual(Array.from({ length: 2 }, () => 'a worker is not observed: its address must not be called'))
    expect(observation.isSilent()).toBe(false)
  })

  it('is asked nothing more while the ledger does not take what it answered', async () => {
    const { asked, go } = stage({ outages: 4, observe: { enabled: true, pollMs: 1_000 } })
    await go(20_000)
    // Pauses of 1, 2, 4 and 8 seconds.
    expect(tasksIn(asked).slice(0, 2)).toEqual(['0 t1', '16 t1'])
  })

  it('is asked for what it began when a send got no answer: at once, then ever more seldom, for ten minutes', async () => {
    const { asked, go } = stage({ taskIds: [], silentSends: ['k'], observe: { enabled: true, pollMs: 30_000 } })
    await go(3_600_000)
    expect(asked).toEqual(['0 card', '0 since -900', '30 since -900', '60 since -900', '91 since -900', '137 since -900', '206 since -900', '310 since -900', '466 since -900'])
  })

  it('that cannot say what it began is not asked for it', async () => {
    const { asked, go } = stage({ taskIds: [], silentSends: ['k'], canList: false })
    await go(100_000)
    expect(asked).toEqual(['0 card'])
  })

  it('is asked for its card every hour', async () => {
    const { asked, go } = stage({ observe: { enabled: true, pollMs: 600_000 } })
    await go(7_000_000)
    expect(asked.filter((each) => each.endsWith('card'))).toHaveLength(2)
  })

  it('whose card is not there is asked for it again after a minute', async () => {
    const { asked, go } = stage({ observe: { enabled: true, pollMs: 20_000 }, hasCard: false })
    await go(130_000)
    expect(asked.filter((each) => each.endsWith('card'))).toEqual(['0 card', '60 card', '120 card'])
  })
})
