import { describe, expect, it } from 'vitest'
import {
  answered,
  enrolled,
  card,
  chunk,
  found,
  missed,
  pushed,
  recorded,
  refused,
  restarted,
  sent,
  settled,
  taskAfter,
  unanswered,
  unreadable,
  workersOf,
  type Line,
} from '../testing/history.ts'
import { testCodec } from '../testing/codec.ts'
import type { TaskAnalysis } from '../task/analysis.ts'
import { taskView } from '../task/view.ts'
import { decide } from './decide.ts'
import { hasBasis, meshOf, verdictOn } from './question.ts'

const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
const lost: readonly Line[] = [...working, missed({ at: 10 })]
const questionOf = ({ question }: TaskAnalysis): string =>
  question === undefined ? 'none' : `${question.about} of ${question.workerId}/${question.taskId ?? 'no task'} at ${question.openedAt}`

describe('V4 what opens a question', () => {
  it.each<[string, readonly Line[], string]>([
    ['V4 a task that lives leaves no question', working, 'none'],
    ['V4 the not-found that loses the task opens it', lost, 'loss of w1/t-1 at 3'],
    ['V4 the first not-found since the last life opens it, later ones do not', [...lost, missed({ at: 20 }), missed({ at: 30 })], 'loss of w1/t-1 at 3'],
    ['V4 first by witness time, whatever the order of arrival', [...working, missed({ at: 20 }), missed({ at: 10 })], 'loss of w1/t-1 at 4'],
    ['V4 a send without an answer opens it', [sent({ at: 0 }), unanswered({ at: 5 })], 'no-answer of w1/no task at 2'],
    ['V4 the last send without an answer opens it', [sent({ at: 0, sentMessageId: 'm-1' }), unanswered({ at: 5, messageId: 'm-1' }), sent({ at: 6, sentMessageId: 'm-2' }), unanswered({ at: 9, messageId: 'm-2' })], 'no-answer of w1/no task at 4'],
    ['V4 a restart alone opens none', [...working, restarted({ at: 5 })], 'none'],
    ['V4 an enrolment alone opens none', [...working, enrolled({ trust: 'card' })], 'none'],
    ['V4 a verdict of ours opens none', [...working, ...settled(lost).slice(-1)], 'none'],
    ['V4 weak evidence opens none', [...working, missed({ at: 10, evidence: 'weak' })], 'none'],
    ['V4 an ended task leaves none', [...lost, pushed('completed', { at: 20, stamped: 5 })], 'none'],
    ['V4 a refused send leaves none in the ledger', [sent({ at: 0 }), refused({ at: 1 })], 'none'],
    ['V4 a lost attempt beside an older one that lives leaves none', [...working, sent({ at: 5, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 6, worker: 'w2', messageId: 'm-2' }), missed({ at: 10, worker: 'w2' })], 'none'],
    ['V4 of a silence and a later refusal it is about the silence', [sent({ at: 0 }), unanswered({ at: 5, messageId: 'm-1' }), sent({ at: 6, worker: 'w2', sentMessageId: 'm-2' }), refused({ at: 7, worker: 'w2', messageId: 'm-2' })], 'no-answer of w1/no task at 2'],
    ['V4 of two silences at a worker that refused the message when it came again, the first one: neither had come', [card({ at: -9, idempotencyKey: 'messageId' }), sent({ at: -2, sentMessageId: 'm-0' }), refused({ at: -1, messageId: 'm-0' }), sent({ at: 0 }), unanswered({ at: 5, messageId: 'm-1' }), sent({ at: 6 }), unanswered({ at: 7, messageId: 'm-1' }), sent({ at: 8 }), refused({ at: 9, messageId: 'm-1' })], 'no-answer of w1/no task at 5'],
    ['V4 so does a message into a task that nobody ever saw', [sent({ at: 0, naming: 't-9' }), unanswered({ at: 5, messageId: 'm-1' })], 'no-answer of w1/no task at 2'],
    ['V4 an incomplete task is never asked about', [...lost, unreadable({ at: 12 })], 'none'],
  ])('%s', (_fact, lines, question) => {
    expect(questionOf(taskAfter(lines))).toBe(question)
  })
})

describe('V4 the id of a question', () => {
  const idOf = (lines: readonly Line[], correlationId = 'k'): string | undefined =>
    taskAfter(lines, { correlationId }).question?.decisionId
  it.each<[string, () => string | undefined, boolean]>([
    ['V4 one question has one id at every fold', () => idOf(lost), true],
    ['V4 further not-founds leave it the same question', () => idOf([...lost, missed({ at: 20 })]), true],
    ['V4 another task of the correlation is another question', () => idOf([sent({ at: 0 }), answered('working', { at: 1, task: 't-2' }), missed({ at: 10, task: 't-2' })]), false],
    ['V4 another worker is another question', () => idOf([sent({ at: 0, worker: 'w2' }), answered('working', { at: 1, worker: 'w2' }), missed({ at: 10, worker: 'w2' })]), false],
    ['V4 another correlation is another question', () => idOf(lost, 'k2'), false],
    ['V4 another loss of the same task is another question', () => idOf([...lost, found('working', { at: 20 }), restarted({ at: 25 }), missed({ at: 30 })]), false],
    ['V4 an earlier not-found that arrives after the decision asks nothing new', () => idOf([...settled(lost), missed({ at: 8 })]), true],
    ['V4 an earlier not-found that arrives before the decision is the question', () => idOf([...lost, missed({ at: 8 })]), false],
  ])('%s', (_fact, idOfOther, isSame) => {
    const [id, other] = [idOf(lost), idOfOther()]
    expect(other !== undefined && other === id).toBe(isSame)
  })

  it.each<[string, readonly Line[], string]>([
    ['V4 it is the hash of what is asked, in a form that stays: who upgrades decides nothing twice', lost, '"k","w1","t-1",3'],
    ['V4 so it is where no task is asked about', [sent({ at: 0 }), unanswered({ at: 5 })], '"k","w1",null,2'],
    ['V6 so it is to decide a second time', settled(lost), '"k","w1","t-1",3'],
  ])('%s', (_fact, lines, asked) => {
    const { question } = taskAfter(lines)
    expect([question?.decisionId, question?.againId]).toEqual(['question', 'question again'].map((word) => testCodec.sha256Hex(`["${word}",${asked}]`)))
  })

  it('V6 to decide a third time it has the number of those before', () => {
    const { verdicts } = taskAfter(settled(lost))
    const again = verdicts.map((verdict): Line => (position) => ({ ...verdict, position, decisionId: 'second' }))
    expect(taskAfter([...settled(lost), ...again]).question?.againId).toBe(testCodec.sha256Hex('["question again","k","w1","t-1",3,2]'))
  })

  it('V4 an earlier silence that arrives after the decision asks nothing new', () => {
    const silent = [sent({ at: 0 }), unanswered({ at: 5 })]
    const late = unanswered({ at: 4, by: 'gateway' })
    const before = taskAfter(silent)
    const after = taskAfter([...settled(silent), late])
    expect([after.question?.decisionId, decide(after, [])]).toEqual([before.question?.decisionId, undefined])
  })

  it('V4 a decided question is decided once', () => {
    expect([decide(taskAfter(lost), [])?.kind, decide(taskAfter(settled(lost)), [])]).toEqual(['unreconcilable', undefined])
  })
})

describe('V4 a stream that was decided on before it was linked', () => {
  const eligible = [card({ at: -9, worker: 'w2' }), enrolled({ trust: 'card' }, { at: -8, worker: 'w2' }), enrolled({ substitutes: ['w2'] }, { at: -7 })]
  const lines: readonly Line[] = [...eligible, ...lost]
  /** What a pass records on the same lines under another ID. */
  const decidedUnder = (correlationId: string, candidates = workersOf(lines)): Line => {
    const decision = decide(taskAfter(lines, { asOf: 100, correlationId }), candidates)
    if (decision === undefined) throw new Error('There is nothing to decide.')
    return recorded(decision, { at: 100 })
  }
  const verdictOf = (of: readonly Line[]) => {
    const task = taskAfter(of)
    const { decisionId, kind, position, basis } = taskView(task, new Map()).verdict ?? {}
    return { kind, position, basis, isDecidedAgain: decide(task, workersOf(of)) !== undefined, isItsQuestion: decisionId === task.question?.decisionId }
  }

  it('V4 is not decided on again: the verdict is on the same loss', () => {
    expect(verdictOf([...lines, decidedUnder('~w1/t-1')])).toEqual({ kind: 'redispatch', position: 7, basis: undefined, isDecidedAgain: false, isItsQuestion: true })
  })

  it('V4 of two verdicts on one loss the first one recorded stands', () => {
    expect(verdictOf([...lines, decidedUnder('~w1/t-1'), decidedUnder('k')])).toMatchObject({ position: 7, isDecidedAgain: false })
    expect(verdictOf([...lines, decidedUnder('k'), decidedUnder('~w1/t-1', [])])).toMatchObject({ kind: 'redispatch', position: 7, isDecidedAgain: false })
  })

  it('V6 an unreconcilable one gives way to the re-dispatch decided after it', () => {
    const hopeless = decidedUnder('~w1/t-1', [])
    expect(verdictOf([...lines, hopeless, decidedUnder('k')])).toMatchObject({ kind: 'redispatch', position: 8, isDecidedAgain: false })
    expect(verdictOf([...lines, hopeless])).toMatchObject({ kind: 'unreconcilable', isDecidedAgain: true })
  })

  it('V4 a later loss is another question', () => {
    const again = [...lines, decidedUnder('~w1/t-1'), found('working', { at: 200 }), restarted({ at: 205 }), missed({ at: 210 })]
    expect(verdictOf(again)).toMatchObject({ kind: 'reobserve', isDecidedAgain: true })
  })
})

describe('V5 when a question is decided', () => {
  const silent: readonly Line[] = [sent({ at: 0 }), unanswered({ at: 5 })]
  const isDecided = (lines: readonly Line[], asOf: number): boolean => decide(taskAfter(lines, { asOf }), []) !== undefined
  it.each<[string, readonly Line[], number, boolean]>([
    ['V5 a millisecond before grace has run nothing is decided', lost, 39.999, false],
    ['V5 when grace has run it is decided', lost, 40, true],
    ['V5 grace runs from the first not-found since the last life, not from the newest', [...lost, missed({ at: 35 })], 40, true],
    ['V5 a weak not-found starts grace too', [...working, missed({ at: 10, evidence: 'weak' }), missed({ at: 35 })], 40, true],
    ['V5 life starts grace anew', [...lost, found('working', { at: 20 }), restarted({ at: 25 }), missed({ at: 30 })], 59, false],
    ['V5 grace after that life runs from its own not-found', [...lost, found('working', { at: 20 }), restarted({ at: 25 }), missed({ at: 30 })], 60, true],
    ['V5 of a send without an answer grace runs from the no-answer', silent, 34.999, false],
    ['V5 of a send without an answer it ends as well', silent, 35, true],
    ['V5 grace ends by the clock of the database: history replayed later is judged at once', [sent({ at: 0, recordedAt: 5_000 }), answered('working', { at: 1, recordedAt: 5_000 }), missed({ at: 10, recordedAt: 5_000 })], 5_000, true],
    ['V5 a pending later dispatch suppresses the question', [...lost, sent({ at: 15, worker: 'w2', sentMessageId: 'm-2' })], 900, false],
    ['V5 a pending earlier dispatch suppresses nothing', [sent({ at: -9, worker: 'w2', sentMessageId: 'm-0' }), ...lost], 900, true],
    ['V5 a later dispatch that was refused suppresses nothing', [...lost, sent({ at: 15, worker: 'w2', sentMessageId: 'm-2' }), refused({ at: 16, worker: 'w2', messageId: 'm-2' })], 900, true],
    ['V5 a later dispatch without an answer suppresses nothing', [...lost, sent({ at: 15, worker: 'w2', sentMessageId: 'm-2' }), unanswered({ at: 16, worker: 'w2', messageId: 'm-2' })], 900, true],
    ['V5 a pending dispatch after a silence suppresses the question about it', [...silent, sent({ at: 15, worker: 'w2', sentMessageId: 'm-2' })], 900, false],
    ['V5 a message into a task of which only a chunk was ever seen suppresses the question', [chunk('x', { at: 1 }), sent({ at: 2, naming: 't-1' }), missed({ at: 10 })], 900, false],
    ['V5 a message into a task that went on since suppresses nothing, also where it was recorded after that', [found('failed', { at: 3 }), sent({ at: 0, naming: 't-1' }), chunk('x', { at: 6, worker: 'w2' }), missed({ at: 9, worker: 'w2' })], 900, true],
    ['V5 a task with an event that was not understood is never decided on', [...lost, unreadable({ at: 12 })], 900, false],
  ])('%s', (_fact, lines, asOf, decides) => {
    expect(isDecided(lines, asOf)).toBe(decides)
  })
})

describe('V8 risk of a second execution', () => {
  const contested: readonly Line[] = [...working, missed({ at: 10 }), found('working', { at: 20 })]
  it.each<[string, readonly Line[], string]>([
    ['V8 a loss nobody contests: possible', lost, 'possible'],
    ['V8 a loss with a known restart: possible', [...working, restarted({ at: 5 }), missed({ at: 10 })], 'possible'],
    ['V8 contested and lost by a row without a restart: likely', [...contested, missed({ at: 30 }), missed({ at: 40 }), missed({ at: 50 })], 'likely'],
    ['V8 contested and lost after a restart: possible', [...contested, restarted({ at: 25 }), missed({ at: 30 })], 'possible'],
    ['V8 no answer: likely', [sent({ at: 0 }), unanswered({ at: 5 })], 'likely'],
    ['V8 no answer at a worker that takes a message once, and refused it when it came again: possible', [card({ at: -9, idempotencyKey: 'messageId' }), sent({ at: 0 }), unanswered({ at: 5, messageId: 'm-1' }), sent({ at: 6 }), refused({ at: 7, messageId: 'm-1' })], 'possible'],
    ['V8 lost after a send into it got no answer: likely', [...working, sent({ at: 4, naming: 't-1', sentMessageId: 'm-2' }), unanswered({ at: 5, messageId: 'm-2', task: 't-1' }), missed({ at: 10 })], 'likely'],
    ['V8 so it is of an attempt that nobody saw created', [found('working', { at: 1 }), sent({ at: 4, naming: 't-1' }), unanswered({ at: 5, messageId: 'm-1', task: 't-1' }), missed({ at: 10 })], 'likely'],
    ['V8 the very send that created it had got no answer: likely', [sent({ at: 0 }), unanswered({ at: 1, messageId: 'm-1' }), sent({ at: 0, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 2, worker: 'w2', messageId: 'm-2' }), missed({ at: 10, worker: 'w2' })], 'likely'],
    ['V8 a send without an answer before the lost attempt was made does not count', [sent({ at: -20, worker: 'w2', sentMessageId: 'm-0' }), unanswered({ at: -10, worker: 'w2', messageId: 'm-0' }), ...lost], 'possible'],
  ])('%s', (_fact, lines, risk) => {
    expect(taskAfter(lines).question?.duplicateRisk).toBe(risk)
  })

  it('V8 a task closed by policy bears the risk of its loss', () => {
    expect(decide(taskAfter([card({ at: -9 }), enrolled({ trust: 'card' }, { at: -8 }), ...lost]), [])?.duplicateRisk).toBe('possible')
  })
})

describe('V4 what a question holds', () => {
  it('V4 of a loss: the state that was lost, the restart that explains it, every strong not-found since, in order', () => {
    const lines = [...working, restarted({ at: 5 }), missed({ at: 10 }), missed({ at: 9, evidence: 'weak' }), missed({ at: 8 })]
    expect(taskAfter(lines).question).toMatchObject({ about: 'loss', workerId: 'w1', taskId: 't-1', openedAt: 6, lastObserved: 'working', because: [2, 3, 4, 6] })
    const contested = [...working, missed({ at: 3 }), found('working', { at: 4 }), restarted({ at: 5 }), missed({ at: 10 })]
    expect(taskAfter(contested).question?.because).toContain(6)
  })

  it('V4 of a loss before any state was seen: none', () => {
    expect(taskAfter([chunk('x', { at: 1 }), missed({ at: 10 })]).question).not.toHaveProperty('lastObserved')
  })

  it('V4 of a second silence: no verdict on the first one', () => {
    const again = [...settled([sent({ at: 0 }), unanswered({ at: 5 })]), sent({ at: 200, worker: 'w2', sentMessageId: 'm-2' }), unanswered({ at: 201, worker: 'w2', messageId: 'm-2' })]
    expect(taskAfter(again).question).toMatchObject({ workerId: 'w2', covering: [] })
  })

  it('V6 of two verdicts that give up the first one stands', () => {
    const [verdict] = taskAfter(settled(lost)).verdicts
    if (verdict === undefined) throw new Error('no verdict')
    const [first, second] = [verdict, { ...verdict, position: verdict.position + 1 }]
    expect([verdictOn({ covering: [first, second], turnedDown: [] }), verdictOn({ covering: [], turnedDown: [] })]).toEqual([first, undefined])
  })

  it('V4 a silence that was told before its send, by a clock that is behind, is decided once', () => {
    const silent = [unanswered({ at: 0, messageId: 'm-1' }), sent({ at: 3, sentMessageId: 'm-1' })]
    const later = unanswered({ at: 1, messageId: 'm-1' })
    for (const lines of [settled(silent), [...settled(silent), later]]) {
      const after = taskAfter(lines)
      expect([after.question?.covering.length, decide(after, [])]).toEqual([1, undefined])
    }
  })

  it('V4 so is one whose answer somebody else told of before its send, and later', () => {
    const silent = [unanswered({ at: 0, messageId: 'm-1' }), sent({ at: 3, sentMessageId: 'm-1' })]
    const after = taskAfter([...settled(silent), unanswered({ at: -1, messageId: 'm-1' })])
    expect([after.question?.covering.length, decide(after, [])]).toEqual([1, undefined])
  })

  it('V4 of a second silence of a message without an id: no verdict on the first one', () => {
    const first = [sent({ at: 0, isUnnamed: true }), unanswered({ at: 5 })]
    const again = [...settled(first), sent({ at: 200, isUnnamed: true }), unanswered({ at: 201 })]
    expect(taskAfter(again).question).toMatchObject({ openedAt: 5, covering: [] })
  })

  it('V4 of a silence: the send and its answer, and no task', () => {
    const question = taskAfter([sent({ at: 0 }), unanswered({ at: 5 })]).question
    expect(question).toMatchObject({ about: 'no-answer', workerId: 'w1', openedAt: 2, because: [1, 2], duplicateRisk: 'likely' })
    for (const name of ['taskId', 'lastObserved']) expect(question).not.toHaveProperty(name)
  })

  it('V4 asked again it has another id than the first time, and than any other question', () => {
    const ids = [lost, [...lost.slice(0, 1), answered('working', { at: 1, task: 't-2' }), missed({ at: 10, task: 't-2' })]].flatMap((lines) => {
      const { question } = taskAfter(lines)
      return [question?.decisionId, question?.againId]
    })
    expect([new Set(ids).size, ids.includes(undefined)]).toEqual([4, false])
  })

  it.each<[string, readonly Line[], string]>([
    ['V4 a verdict on another task of the worker decides nothing about this one', [...settled([sent({ at: 0, sentMessageId: 'm-0' }), answered('working', { at: 1, task: 't-0', messageId: 'm-0' }), missed({ at: 2, task: 't-0' })], 50), sent({ at: 60 }), answered('working', { at: 61 }), missed({ at: 70 })], 'loss of w1/t-1 at 7'],
    ['V4 a verdict on the same task of another worker neither', [...settled([sent({ at: 0, worker: 'w2', sentMessageId: 'm-0' }), answered('working', { at: 1, worker: 'w2', messageId: 'm-0' }), missed({ at: 2, worker: 'w2' })], 50), sent({ at: 60 }), answered('working', { at: 61 }), missed({ at: 70 })], 'loss of w1/t-1 at 7'],
    ['V4 a silence after the attempt that was lost is another matter', [...lost, sent({ at: 15, sentMessageId: 'm-2' }), unanswered({ at: 16, messageId: 'm-2' })], 'loss of w1/t-1 at 3'],
  ])('%s', (_fact, lines, question) => {
    expect(questionOf(taskAfter(lines))).toBe(question)
  })

  it.each<[string, Line, boolean]>([
    ['V5 a dispatch pending since the attempt was made suppresses the question', sent({ at: 0, worker: 'w2', sentMessageId: 'm-2' }), true],
    ['V5 one pending from before does not', sent({ at: -0.001, worker: 'w2', sentMessageId: 'm-2' }), false],
  ])('%s', (_fact, line, isSuppressed) => {
    expect(taskAfter([...lost, line]).question === undefined).toBe(isSuppressed)
  })

  it.each<[string, readonly Line[], boolean]>([
    ['V5 a pending message into the attempt suppresses the question', [], true],
    ['V5 not when the attempt has gone on since: it came, whoever kept its answer', [pushed('working', { at: 6 })], false],
    ['V5 when another task of its worker has', [pushed('working', { at: 6, task: 't-2' }), missed({ at: 11, task: 't-2' })], true],
    ['V5 when a task of another worker with its id has', [pushed('working', { at: 6, worker: 'w2' }), missed({ at: 11, worker: 'w2' })], true],
  ])('%s', (_fact, lines, isSuppressed) => {
    const asked = [sent({ at: 0 }), answered('input-required', { at: 1 }), sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' })]
    expect(taskAfter([...asked, ...lines, missed({ at: 10 })]).question === undefined).toBe(isSuppressed)
  })

  it('V5 where the attempt was seen sent, one to its worker before it was seen suppresses the question all the same', () => {
    const lines = [sent({ at: 0 }), sent({ at: 2, sentMessageId: 'm-2' }), answered('working', { at: 5, messageId: 'm-1' }), missed({ at: 10 })]
    expect(taskAfter(lines).question).toBeUndefined()
  })

  it.each<[string, readonly Line[], boolean]>([
    ['V5 where nobody saw the attempt sent, one pending at another worker suppresses the question', [sent({ at: -9, worker: 'w2' })], true],
    ['V5 one at its own worker does not: the attempt is what came of it', [sent({ at: 0 })], false],
    ['V5 one that was sent at the moment the attempt was seen neither', [sent({ at: 1 })], false],
    ['V5 one sent after the attempt was seen does', [sent({ at: 1.001 })], true],
    ['V5 of two at its worker the other one does', [sent({ at: -1, sentMessageId: 'm-0' }), sent({ at: 0 })], true],
    ['V5 one that names another task does', [sent({ at: 0, naming: 't-9' })], true],
    ['V5 nor does it where a later one was refused', [sent({ at: -1, sentMessageId: 'm-0' }), sent({ at: 0 }), refused({ at: 0.5, messageId: 'm-1' })], false],
  ])('%s', (_fact, lines, isSuppressed) => {
    expect(taskAfter([...lines, found('working', { at: 1 }), missed({ at: 10 })]).question === undefined).toBe(isSuppressed)
  })

  it('V4 the mesh of a question is that of its worker; without a question the default one', () => {
    expect([meshOf(taskAfter([enrolled({ mesh: 'm' }, { at: -1 }), ...lost])), meshOf(taskAfter([enrolled({ mesh: 'm' }, { at: -1 }), ...working]))]).toEqual(['m', 'default'])
  })
})

describe('V6 what a verdict on a silence rests on', () => {
  const silent: readonly Line[] = [sent({ at: 0 }), unanswered({ at: 5 })]
  const isBased = (lines: readonly Line[]): boolean => {
    const task = taskAfter(lines)
    const [verdict] = task.verdicts
    if (verdict === undefined) throw new Error('no verdict')
    return hasBasis(verdict, task)
  }
  it.each<[string, readonly Line[], boolean]>([
    ['V6 the send is still without an answer', settled(silent), true],
    ['V6 the send turns out to have an answer', [...settled(silent), found('working', { at: 200, historyMessageId: 'm-1' })], false],
    ['V6 another silence at that worker, before it, is no basis', [...settled(silent), found('working', { at: 200, historyMessageId: 'm-1' }), sent({ at: 210, sentMessageId: 'm-2' }), unanswered({ at: 215, messageId: 'm-2' })], false],
    ['V6 a silence of another worker is no basis', [...settled(silent), found('working', { at: 200, historyMessageId: 'm-1' }), sent({ at: -9, worker: 'w2', sentMessageId: 'm-2' }), unanswered({ at: -8, worker: 'w2', messageId: 'm-2' })], false],
    ['V6 a loss is still lost', settled(lost), true],
    ['V6 the attempt lives', [...settled(lost), found('working', { at: 200 })], false],
    ['V6 the same task id of another worker is lost', [...settled(lost), found('working', { at: 200 }), answered('working', { at: 201, worker: 'w2' }), missed({ at: 210, worker: 'w2' })], false],
    ['V6 another task of the worker is lost', [...settled(lost), found('working', { at: 200 }), answered('working', { at: 201, task: 't-2' }), missed({ at: 210, task: 't-2' })], false],
    ['V6 it is another loss of the attempt by now', [...settled(lost), found('working', { at: 200 }), restarted({ at: 205 }), missed({ at: 210 })], false],
    ['V6 an earlier not-found of the same loss takes nothing away', [...settled(lost), missed({ at: 8 })], true],
  ])('%s', (_fact, lines, isStanding) => {
    expect(isBased(lines)).toBe(isStanding)
  })
})
