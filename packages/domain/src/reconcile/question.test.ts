import { describe, expect, it } from 'vitest'
import {
  answered,
  enrolled,
  card,
  found,
  missed,
  pushed,
  refused,
  restarted,
  sent,
  settled,
  taskAfter,
  unanswered,
  unreadable,
  type Line,
} from '../testing/history.ts'
import type { TaskAnalysis } from '../task/analysis.ts'
import { decide } from './decide.ts'

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
    ['V4 an incomplete task is never asked about', [...lost, unreadable({ at: 12 })], 'none'],
  ])('%s', (_fact, lines, question) => {
    expect(questionOf(taskAfter(lines))).toBe(question)
  })
})

describe('V4 the id of a question', () => {
  const idOf = (lines: readonly Line[], correlationId = 'k'): string | undefined =>
    taskAfter(lines, { correlationId }).question?.decisionId
  const id = idOf(lost)
  it.each<[string, string | undefined, boolean]>([
    ['V4 one question has one id at every fold', idOf(lost), true],
    ['V4 further not-founds leave it the same question', idOf([...lost, missed({ at: 20 })]), true],
    ['V4 another task of the correlation is another question', idOf([sent({ at: 0 }), answered('working', { at: 1, task: 't-2' }), missed({ at: 10, task: 't-2' })]), false],
    ['V4 another worker is another question', idOf([sent({ at: 0, worker: 'w2' }), answered('working', { at: 1, worker: 'w2' }), missed({ at: 10, worker: 'w2' })]), false],
    ['V4 another correlation is another question', idOf(lost, 'k2'), false],
    ['V4 another loss of the same task is another question', idOf([...lost, found('working', { at: 20 }), restarted({ at: 25 }), missed({ at: 30 })]), false],
    ['V4 an earlier not-found that arrives after the decision asks nothing new', idOf([...settled(lost), missed({ at: 8 })]), true],
    ['V4 an earlier not-found that arrives before the decision is the question', idOf([...lost, missed({ at: 8 })]), false],
  ])('%s', (_fact, other, isSame) => {
    expect(other !== undefined && other === id).toBe(isSame)
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
    ['V8 lost after a send into it got no answer: likely', [...working, sent({ at: 4, naming: 't-1', sentMessageId: 'm-2' }), unanswered({ at: 5, messageId: 'm-2', task: 't-1' }), missed({ at: 10 })], 'likely'],
    ['V8 a send without an answer before the lost attempt was made does not count', [sent({ at: -20, worker: 'w2', sentMessageId: 'm-0' }), unanswered({ at: -10, worker: 'w2', messageId: 'm-0' }), ...lost], 'possible'],
  ])('%s', (_fact, lines, risk) => {
    expect(taskAfter(lines).question?.duplicateRisk).toBe(risk)
  })

  it('V8 a task closed by policy bears the risk of its loss', () => {
    expect(decide(taskAfter([card({ at: -9 }), enrolled({ trust: 'card' }, { at: -8 }), ...lost]), [])?.duplicateRisk).toBe('possible')
  })
})
