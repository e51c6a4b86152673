import { factsOf, LedgerError, type LedgerEvent, type TaskFact, type TaskState, type WorkerFact, type WatchQuestion } from '@a2a-ledger/domain'
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
const answered: Came = { outcome: 'answered', digest: 'a' }
const silent: Came = { outcome: 'unanswered', digest: 's' }

/** It said so a second later, and grace runs. */
const notFound = (taskId: string, position: number): readonly TaskFact[] =>
  factsOf(event(position, 'a2a.error', `k-${taskId}`, { code: -32001, message: 'Task not found' }, { operation: 'GetTask', taskid: taskId, time: new Date(startMs + 1_000).toISOString() }), testCodec).stream

interface Scene {
  readonly taskIds?: readonly string[]
  /** Those of them that the worker did not find. */
  readonly doubts?: readonly string[]
  /** `null`: the enrolment says nothing of it. */
  readonly observe?: object | null
  readonly answer?: (question: WatchQuestion) => Came
  /** How often the ledger does not take what it is told. */
  readonly outages?: number
  readonly callsPerMinuteMax?: number
  /** Sends that got no answer, at the beginning of time. */
  readonly silentSends?: readonly string[]
  readonly canList?: boolean
  /** What a page of a list shows, by the token it was asked for with; left out: every task as it was. */
  readonly pages?: (pageToken: string) => Partial<Came> & { readonly states?: Readonly<Record<string, TaskState>>; readonly nextPageToken?: string }
  readonly hasCard?: boolean
  /** `null`: none is enrolled. */
  readonly address?: string | null
}

/** An observation whose time goes on only when somebody waits. */
function stage({ taskIds = ['t1'], doubts = [], observe = { enabled: true, pollMs: 10_000 }, answer = () => answered, outages = 0, callsPerMinuteMax = 6_000, silentSends = [], canList = true, pages = () => ({}), hasCard = true, address = 'https://w.test/' }: Scene) {
  let now = 0
  let outagesLeft = outages
  const asked: string[] = []
  const log: string[] = []
  const recorded: string[] = []
  const stopping = new AbortController()
  const records = new Map(
    taskIds.map((taskId, at): [string, TaskRecord] => [
      `k-${taskId}`,
      { correlationId: `k-${taskId}`, firstPosition: at + 2, lastPosition: at + 2, facts: [...working(taskId, at + 2), ...(doubts.includes(taskId) ? notFound(taskId, at + 50) : [])], compactedCount: 0, workers: new Map() },
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
          listPage: async ({ state, taskIds, pageToken = 'first' }) => {
            asked.push(`${seconds()} page ${pageToken} of ${state}`)
            const { states, nextPageToken, ...came } = pages(pageToken)
            const entry = (taskId: string, given: TaskState) => ({ state: given, digest: given, events: [{ attributes: { specversion: '1.0' as const, id: `p-${asked.length}-${taskId}`, source: 'urn:o', type: 'a2a.task', taskid: taskId }, bytes: new Uint8Array() }] })
            return {
              ...answered, events: [], ...came,
              listed: new Map(Object.entries(states ?? Object.fromEntries(taskIds.map((taskId) => [taskId, state]))).map(([taskId, given]) => [taskId, entry(taskId, given)])),
              ...(nextPageToken !== undefined && { nextPageToken }),
            }
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
          recorded.push(...events.map(({ attributes: { type, taskid = '-' } }) => `${seconds()} ${type} of ${taskid}`))
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
  /** It is not among the open tasks any more. */
  const end = (taskId: string): void => void records.delete(`k-${taskId}`)
  /** Rounds until `untilMs` have gone by. */
  const go = async (untilMs: number): Promise<void> => {
    while (now < untilMs) {
      const waitMs = await observation.round(1, stopping.signal)
      now += Math.max(1, waitMs)
    }
  }
  return { asked, recorded, log, observation, end, go }
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

  it.each([false, true])('is asked for no more than its budget, and about each task, where it lists them: %s', async (canList) => {
    const { asked, go } = stage({ canList, taskIds: Array.from({ length: 20 }, (_, at) => `t${at}`), observe: { enabled: true, pollMs: 100 }, callsPerMinuteMax: 60 })
    await go(60_000)
    expect(asked.length).toBeLessThanOrEqual(64)
    expect(asked.length).toBeGreaterThan(55)
    expect(new Set(tasksIn(asked).filter((each) => !each.includes('page')).map((each) => each.split(' ')[1])).size).toBe(20)
  })

  it('that does not find many of its tasks is asked about the others as often as about those', async () => {
    const [doubts, others] = ['d', 'o'].map((name) => Array.from({ length: 10 }, (_, at) => `${name}${at}`)) as [string[], string[]]
    const { asked, go } = stage({ taskIds: [...doubts, ...others], doubts, observe: { enabled: true, pollMs: 1_000 }, canList: false, callsPerMinuteMax: 60 })
    await go(120_000)
    const about = (name: string): number => tasksIn(asked).filter((each) => each.includes(` ${name}`)).length
    expect(Math.abs(about('d') - about('o'))).toBeLessThanOrEqual(2)
    expect(about('d') + about('o')).toBeGreaterThan(110)
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
    const { asked, log, observation, go } = stage({ observe: { enabled: true, pollMs: 1_000 }, answer: () => ({ outcome: 'not-called', digest: '', detail: 'no' }) })
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

describe('a worker that lists its tasks', () => {
  const sixIds = ['t1', 't2', 't3', 't4', 't5', 't6']
  const all = (state: TaskState): Readonly<Record<string, TaskState>> => Object.fromEntries(sixIds.map((taskId) => [taskId, state]))
  /** What is asked from the second round of questions on. */
  const later = (asked: readonly string[]): readonly string[] => asked.filter((each) => Number(each.split(' ')[0]) > 5)

  it('is asked for a list where more tasks are due than it may be asked about at once, and what it says of each is told', async () => {
    const { asked, recorded, go } = stage({ taskIds: sixIds })
    await go(10_500)
    expect(tasksIn(asked).slice(0, 6)).toEqual(sixIds.map((taskId) => `0 ${taskId}`))
    expect(later(asked)).toEqual(['10 page first of working'])
    expect(recorded.slice(-6)).toEqual(sixIds.map((taskId) => `10 a2a.task of ${taskId}`))
    await go(20_500)
    expect(later(asked)).toEqual(['10 page first of working', '20 page first of working'])
    // It repeats what was told.
    expect(recorded.at(-1)).toBe('10 a2a.task of t6')
  })

  it.each<[string, Scene]>([
    ['there are fewer', { taskIds: sixIds.slice(0, 4) }],
    ['its version has no lists', { taskIds: sixIds, canList: false }],
  ])('is not where %s', async (_fact, scene) => {
    const { asked, go } = stage(scene)
    await go(25_000)
    expect(asked.filter((each) => each.includes('page'))).toEqual([])
    expect(later(asked).length).toBeGreaterThanOrEqual(8)
  })

  it('is not asked for strangers: nothing is told of them', async () => {
    const { recorded, go } = stage({ taskIds: sixIds, pages: () => ({ states: { ...all('working'), stranger: 'working' } }) })
    await go(10_500)
    expect(recorded.filter((each) => each.includes('a2a.task'))).toEqual(sixIds.map((taskId) => `10 a2a.task of ${taskId}`))
  })

  it('is asked about a task by itself that its list does not show, and nothing is told of the absence', async () => {
    const { t3: _missing, ...shown } = all('working')
    const { asked, recorded, go } = stage({ taskIds: sixIds, pages: () => ({ states: shown }) })
    await go(10_500)
    expect(later(asked)).toEqual(['10 page first of working', '10 t3'])
    expect(recorded.filter((each) => each.includes('a2a.task'))).toEqual(['t1', 't2', 't4', 't5', 't6'].map((taskId) => `10 a2a.task of ${taskId}`))
    await go(20_500)
    expect(later(asked)).toEqual(['10 page first of working', '10 t3', '20 page first of working', '20 t3'])
  })

  it('is asked about a task that its list shows as ended, although it is open no more: what came of it is not in the list', async () => {
    const scene = stage({
      taskIds: sixIds,
      pages: () => {
        scene.end('t3')
        return { states: { ...all('working'), t3: 'completed' } }
      },
    })
    await scene.go(10_500)
    expect(later(scene.asked)).toEqual(['10 page first of working', '10 t3'])
    expect(scene.recorded).toContain('10 a2a.task of t3')
    await scene.go(25_000)
    expect(later(scene.asked).filter((each) => each.endsWith('t3'))).toEqual(['10 t3'])
  })

  it('is asked for the pages that follow', async () => {
    const { asked, go } = stage({
      taskIds: sixIds,
      pages: (token) => (token === 'first' ? { states: { t1: 'working', t2: 'working' }, nextPageToken: 'p2' } : { states: { t3: 'working', t4: 'working', t5: 'working', t6: 'working' }, nextPageToken: '' }),
    })
    await go(10_500)
    expect(later(asked)).toEqual(['10 page first of working', '10 page p2 of working'])
  })

  it.each<[string, Scene['pages']]>([
    ['is empty', () => ({ states: {} })],
    ['is of strangers', () => ({ states: { stranger: 'working' } })],
    ['is not answered', () => ({ ...silent, states: {} })],
  ])('whose list %s, while its tasks are there, is asked about each, and for a list after an hour', async (_fact, pages) => {
    const { asked, observation, go } = stage({ taskIds: sixIds, answer: () => ({ ...answered, state: 'working' }), observe: { enabled: true, pollMs: 60_000 }, ...(pages !== undefined && { pages }) })
    await go(200_000)
    expect(later(asked).slice(0, 7)).toEqual(['60 page first of working', ...sixIds.map((taskId) => `60 ${taskId}`)])
    expect(observation.isSilent()).toBe(false)
    await go(3_740_000)
    expect(asked.filter((each) => each.includes('page'))).toEqual(['60 page first of working', expect.stringMatching(/^3[67]\d\d page first of working$/)])
  })

  it('whose list is empty since its tasks have moved on is asked for lists as before', async () => {
    const { asked, go } = stage({ taskIds: sixIds, pages: () => ({ states: {} }), answer: () => ({ ...answered, state: 'input-required' }) })
    await go(20_500)
    expect(asked.filter((each) => each.includes('page'))).toEqual(['10 page first of working', '20 page first of working'])
  })

  it('is watched with 500 tasks in 300 calls a minute: each is seen again within 20 s, and asked about by itself every five minutes', { timeout: 60_000 }, async () => {
    const taskIds = Array.from({ length: 500 }, (_, at) => `t${at}`)
    const startOf = (token: string): number => (token === 'first' ? 0 : Number(token))
    const { asked, go } = stage({
      taskIds,
      callsPerMinuteMax: 300,
      pages: (token) => {
        const from = startOf(token)
        return { states: Object.fromEntries(taskIds.slice(from, from + 100).map((taskId) => [taskId, 'working' as const])), nextPageToken: from + 100 < 500 ? String(from + 100) : '' }
      },
    })
    await go(480_000)
    const seen = new Map<string, number[]>(taskIds.map((taskId) => [taskId, []]))
    const alone = new Map<string, number>(taskIds.map((taskId) => [taskId, 0]))
    const calls = asked.map((each) => each.split(' ')).map(([at, what = '', token = '']) => ({ at: Number(at), what, token }))
    for (const { at, what, token } of calls) {
      if (what === 'page') for (const taskId of taskIds.slice(startOf(token), startOf(token) + 100)) seen.get(taskId)?.push(at)
      else if (what !== 'card') {
        seen.get(what)?.push(at)
        alone.set(what, (alone.get(what) ?? 0) + 1)
      }
    }
    // The first two minutes go into asking about each once.
    const gaps = [...seen.values()].flatMap((times) => times.filter((at) => at > 120).map((at, index, later) => at - (later[index - 1] ?? at)))
    expect(gaps.reduce((most, gap) => Math.max(most, gap), 0)).toBeLessThan(20)
    expect(new Set(alone.values())).toEqual(new Set([2]))
    for (const minute of [0, 1, 2, 5, 7]) expect(calls.filter(({ at }) => at >= minute * 60 && at < minute * 60 + 60).length).toBeLessThanOrEqual(304)
  })
})
