import { describe, expect, it } from 'vitest'
import {
  answered,
  bare404,
  chunk,
  enrolled,
  found,
  listed,
  missed,
  pushed,
  restarted,
  sent,
  streamed,
  taskAfter,
  type Line,
} from '../testing/history.ts'
import type { TaskAnalysis } from './analysis.ts'

/** `live`, `lost`, `ended`, or the same with `contested` before it. */
const lifeOf = ({ attempts: [attempt] }: TaskAnalysis): string =>
  attempt === undefined ? 'no attempt' : `${attempt.contested ? 'contested ' : ''}${attempt.life}`

const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
const misses = (...seconds: readonly number[]): readonly Line[] => seconds.map((at) => missed({ at }))

describe('F9 lost', () => {
  it.each<[string, readonly Line[], string]>([
    ['F9 a task that nobody asked for again lives', working, 'live'],
    ['F9 a strong not-found newer than every sign of life loses an open task', [...working, missed({ at: 5 })], 'lost'],
    ['F9 a strong not-found from before the last sign of life loses nothing', [...working, found('working', { at: 9 }), missed({ at: 5 })], 'contested live'],
    ['F9 an interrupted task is lost like a working one', [...working, pushed('input-required', { at: 3 }), missed({ at: 5 })], 'lost'],
    ['F9 a completed task is not lost by a not-found', [...working, found('completed', { at: 4 }), missed({ at: 5 })], 'ended'],
    ['F9 a failed task is not lost by a not-found', [...working, found('failed', { at: 4 }), missed({ at: 5 })], 'ended'],
    ['F9 an answer to GetTask is life when it was seen, however old its stamp', [...working, missed({ at: 5 }), found('working', { at: 8, stamped: 1 })], 'contested live'],
    ['F9 an answer to ListTasks is life when it was seen', [...working, missed({ at: 5 }), found('working', { at: 8, stamped: 1, operation: 'ListTasks' })], 'contested live'],
    ['F9 an answer to a send is life when it was seen', [...working, missed({ at: 5 }), answered('working', { at: 8, stamped: 1 })], 'contested live'],
    ['F9 a push stamped before the loss is no life after it', [...working, missed({ at: 5 }), pushed('working', { at: 8, stamped: 3 })], 'lost'],
    ['F9 a push stamped after the loss is life', [...working, missed({ at: 5 }), pushed('working', { at: 8, stamped: 6 })], 'contested live'],
    ['F9 a push without a stamp is life when it was seen', [...working, missed({ at: 5 }), pushed('working', { at: 8 })], 'contested live'],
    ['F9 a stream update stamped before the loss is no life after it', [...working, missed({ at: 5 }), streamed('working', { at: 8, stamped: 3 })], 'lost'],
    ['F9 a push stamped ahead of its witness is life no later than it was seen', [...working, pushed('working', { at: 3, stamped: 60 }), missed({ at: 5 })], 'lost'],
    ['F9 a chunk of an artifact is life when it was seen', [...working, missed({ at: 5 }), chunk('x', { at: 8 })], 'contested live'],
    ['F9 the strongest evidence since the last life counts, not the newest', [...working, missed({ at: 5 }), missed({ at: 6, evidence: 'weak' })], 'lost'],
    ['F9 strong evidence after weak evidence loses the task', [...working, missed({ at: 5, evidence: 'weak' }), missed({ at: 6 })], 'lost'],
    ['F9 a not-found for another task of the worker loses nothing', [...working, missed({ at: 5, task: 't-2' })], 'live'],
    ['F9 the same task id at another worker is another task', [...working, missed({ at: 5, worker: 'w2' })], 'live'],
    ['F9 a push from before the loss does not bring life, a completion in it ends the task', [...working, missed({ at: 5 }), pushed('completed', { at: 8, stamped: 3 })], 'ended'],
  ])('%s', (_fact, lines, life) => {
    expect(lifeOf(taskAfter(lines))).toBe(life)
  })
})

describe('L13 a listing that was worth no event of its own', () => {
  it.each<[string, readonly Line[], string]>([
    ['L13 F9 is life: a not-found from before it, told later, loses nothing', [...working, listed('working', { at: 30 }), missed({ at: 20 })], 'contested live'],
    ['L13 F9 is no life after a not-found that came later', [...working, listed('working', { at: 30 }), missed({ at: 40 })], 'lost'],
    ['L13 is life of the task it names alone', [...working, listed('working', { at: 30, task: 't-2' }), missed({ at: 20 })], 'lost'],
    ['L13 says nothing of the same id at another worker', [...working, listed('working', { at: 30, worker: 'w2' }), missed({ at: 20 })], 'lost'],
    ['L13 K2 another task has the id by now: what was known last of this one is that it is not there', [...working, missed({ at: 20 }), listed('working', { at: 30 })], 'lost'],
    ['L13 K2 another task has the id by now: it shows another state', [...working, listed('input-required', { at: 30 }), missed({ at: 20 })], 'lost'],
    ['L13 K2 another task has the id by now: nothing was heard of this one for more than a minute', [...working, listed('working', { at: 62 }), missed({ at: 61 })], 'lost'],
    ['L13 the newest listing counts, in whatever order they are told', [...working, listed('working', { at: 50 }), listed('working', { at: 30 }), missed({ at: 40 })], 'contested live'],
    ['L13 a listing takes the doubt of weak evidence from before it away', [...working, listed('working', { at: 30 }), missed({ at: 20, evidence: 'weak' })], 'live'],
  ])('%s', (_fact, lines, life) => {
    expect(lifeOf(taskAfter(lines))).toBe(life)
  })
})

describe('F8 weak evidence', () => {
  it.each<[string, readonly Line[], string]>([
    ['F8 weak evidence alone loses nothing', [...working, missed({ at: 5, evidence: 'weak' })], 'live'],
    ['F8 any number of weak answers loses nothing', [...working, ...[5, 10, 15, 20].map((at) => bare404({ at }))], 'live'],
    ['F8 a restart does not make weak evidence strong', [...working, restarted({ at: 4 }), bare404({ at: 5 })], 'live'],
    ['F8 no evidence is no doubt about life', [...working, missed({ at: 5, evidence: 'none', name: 'Internal', code: -32603 })], 'live'],
  ])('%s', (_fact, lines, life) => {
    expect(lifeOf(taskAfter(lines))).toBe(life)
  })
})

describe('F10 contested', () => {
  const once: readonly Line[] = [...working, missed({ at: 10 }), found('working', { at: 20 })]
  const twice: readonly Line[] = [...once, missed({ at: 30 }), found('working', { at: 40 })]
  it.each<[string, readonly Line[], string]>([
    ['F10 life after a strong not-found is contested', once, 'contested live'],
    ['F10 life after weak evidence is not contested', [...working, missed({ at: 10, evidence: 'weak' }), found('working', { at: 20 })], 'live'],
    ['F10 a contested task is not lost by one more not-found', [...once, missed({ at: 30 })], 'contested live'],
    ['F10 a contested task is not lost by two more', [...once, ...misses(30, 40)], 'contested live'],
    ['F10 after one contradiction three distinct not-founds in a row lose it', [...once, ...misses(30, 40, 50)], 'contested lost'],
    ['F10 after two contradictions four in a row do not lose it', [...twice, ...misses(50, 60, 70, 80)], 'contested live'],
    ['F10 after two contradictions five in a row lose it', [...twice, ...misses(50, 60, 70, 80, 90)], 'contested lost'],
    ['F10 a row of not-founds before life is one contradiction', [...working, ...misses(10, 12, 14), found('working', { at: 20 }), ...misses(30, 40, 50)], 'contested lost'],
    ['F10 life within the row starts it anew', [...once, ...misses(30, 40), found('working', { at: 45 }), ...misses(50, 60, 70, 80)], 'contested live'],
    ['F10 weak answers do not count in the row', [...once, missed({ at: 30 }), missed({ at: 40, evidence: 'weak' }), missed({ at: 50 })], 'contested live'],
    ['F10 weak answers do not break the row', [...once, ...misses(30, 40), missed({ at: 45, evidence: 'weak' }), missed({ at: 50 })], 'contested lost'],
    ['F10 one answer seen by three witnesses counts once', [...once, missed({ at: 30 }), missed({ at: 30.1, by: 'gateway' }), missed({ at: 30.2, by: 'proxy' })], 'contested live'],
    ['F10 asked again within a second counts once', [...once, ...misses(30, 30.4, 30.8, 31.5)], 'contested live'],
    ['F10 a second after the last one counted is a question of its own', [...once, ...misses(30, 31, 32)], 'contested lost'],
    ['F10 the second is counted from the last one counted, not from the last one seen', [...once, ...misses(30, 30.6, 31.2, 31.8, 32.4)], 'contested lost'],
    ['F10 one not-found after a restart since the last life loses it', [...once, restarted({ at: 25 }), missed({ at: 30 })], 'contested lost'],
    ['F10 a restart from before the last life proves nothing', [...working, restarted({ at: 5 }), missed({ at: 10 }), found('working', { at: 20 }), missed({ at: 30 })], 'contested live'],
    ['F10 a restart after the not-found does not explain it', [...once, missed({ at: 30 }), restarted({ at: 35 })], 'contested live'],
    ['F10 a restart of another worker proves nothing', [...once, restarted({ at: 25, worker: 'w2' }), missed({ at: 30 })], 'contested live'],
    ['F10 a push from before the not-found contradicts nothing', [...working, missed({ at: 10 }), pushed('working', { at: 20, stamped: 5 })], 'lost'],
    ['F10 an end is an end, contested or not', [...once, found('completed', { at: 30 }), ...misses(40, 50, 60)], 'contested ended'],
  ])('%s', (_fact, lines, life) => {
    expect(lifeOf(taskAfter(lines))).toBe(life)
  })
})

describe('F11 replicas', () => {
  const row = (length: number, told: Parameters<typeof missed>[0] = {}): readonly Line[] =>
    Array.from({ length }, (_, index) => missed({ at: 10 + index * 2, ...told }))
  const two: readonly Line[] = [enrolled({ replicas: 2 }), sent({ at: 0 }), answered('working', { at: 1 })]
  const held: readonly Line[] = [enrolled({ replicas: 2 }), sent({ at: 0 }), answered('working', { at: 1, instance: 'a' })]
  it.each<[string, readonly Line[], string]>([
    ['F11 one replica is no replicas: one not-found loses the task', [enrolled({ replicas: 1 }), ...working, missed({ at: 5 })], 'lost'],
    ['F11 one replica is no replicas: a contested task takes more than one', [enrolled({ replicas: 1 }), ...working, missed({ at: 5 }), found('working', { at: 8 }), missed({ at: 20 })], 'contested live'],
    ['F11 one replica is no replicas: it need not be named by a restart', [enrolled({ replicas: 1 }), ...working, missed({ at: 5 }), found('working', { at: 8 }), restarted({ at: 15 }), missed({ at: 20 })], 'contested lost'],
    ['F11 of two replicas one not-found loses nothing', [...two, missed({ at: 5, instance: 'a' })], 'live'],
    ['F11 not-founds of one instance, however many, lose nothing', [...two, ...row(40, { instance: 'a' })], 'live'],
    ['F11 not-founds of every instance lose the task', [...two, missed({ at: 5, instance: 'a' }), missed({ at: 6, instance: 'b' })], 'lost'],
    ['F11 every instance has to answer since the last life', [...two, missed({ at: 5, instance: 'a' }), found('working', { at: 6 }), missed({ at: 7, instance: 'b' })], 'contested live'],
    ['F11 weak evidence of an instance does not count', [...two, missed({ at: 5, instance: 'a' }), missed({ at: 6, instance: 'b', evidence: 'weak' })], 'live'],
    ['F11 without named instances 27 of two replicas lose nothing', [...two, ...row(27)], 'live'],
    ['F11 without named instances 14 a replica in a row lose the task', [...two, ...row(28)], 'lost'],
    ['F11 in that row only distinct questions count', [...two, ...row(27), ...row(27, { by: 'gateway' })], 'live'],
    ['F11 one not-found that names its instance rules out the row', [...two, missed({ at: 5, instance: 'a' }), ...row(40)], 'live'],
    ['F11 one weak not-found that names its instance rules out the row', [...two, missed({ at: 5, instance: 'a', evidence: 'weak' }), ...row(40)], 'live'],
    ['F11 a not-found after a restart of the instance that held it loses the task', [...held, restarted({ at: 4, instance: 'a' }), missed({ at: 5, instance: 'b' })], 'lost'],
    ['F11 a restart of another instance proves nothing', [...held, restarted({ at: 4, instance: 'b' }), missed({ at: 5 })], 'live'],
    ['F11 a restart without an instance proves nothing', [...held, restarted({ at: 4 }), missed({ at: 5 })], 'live'],
    ['F11 a restart of the holder after the not-found proves nothing', [...held, missed({ at: 5 }), restarted({ at: 6, instance: 'a' })], 'live'],
    ['F11 the holder is the instance of the last life that names one', [...held, found('working', { at: 3, instance: 'b' }), found('working', { at: 4 }), restarted({ at: 5, instance: 'b' }), missed({ at: 6 })], 'lost'],
    ['F11 the former holder is the holder no longer', [...held, found('working', { at: 3, instance: 'b' }), restarted({ at: 5, instance: 'a' }), missed({ at: 6 })], 'live'],
    ['F11 of replicas a contested task is not lost by 2n+1', [...two, missed({ at: 5 }), found('working', { at: 6 }), ...row(3)], 'contested live'],
    ['F11 of replicas a contested task is lost when every instance answered', [...two, missed({ at: 5 }), found('working', { at: 6 }), missed({ at: 7, instance: 'a' }), missed({ at: 8, instance: 'b' })], 'contested lost'],
  ])('%s', (_fact, lines, life) => {
    expect(lifeOf(taskAfter(lines))).toBe(life)
  })
})

describe('F12 the id comes back', () => {
  const told = (task: TaskAnalysis): string =>
    [lifeOf(task), task.attempts[0]?.state, ...task.violations.map(({ code }) => code)].join(', ')
  it.each<[string, readonly Line[], string]>([
    ['F12 an open task that comes back with a lower rank after a strong not-found was made again', [...working, missed({ at: 5 }), found('submitted', { at: 8 })], 'contested live, submitted, task_id_reused'],
    ['F12 the re-created task goes on from its new state', [...working, missed({ at: 5 }), found('submitted', { at: 8 }), found('working', { at: 9 })], 'contested live, working, task_id_reused'],
    ['F12 with the same rank it is the same task, contested', [...working, pushed('input-required', { at: 3 }), missed({ at: 5 }), found('working', { at: 8 })], 'contested live, working'],
    ['F12 without a not-found between it is a regression', [...working, found('submitted', { at: 8 })], 'live, working, state_regressed'],
    ['F12 weak evidence between them does not make it another task', [...working, missed({ at: 5, evidence: 'weak' }), found('submitted', { at: 8 })], 'live, working, state_regressed'],
    ['F12 after an end it is another state after a terminal one', [...working, found('completed', { at: 3 }), missed({ at: 5 }), found('submitted', { at: 8 })], 'contested ended, completed, terminal_left'],
    ['F12 a late push of the time before the loss re-creates nothing', [...working, missed({ at: 5 }), pushed('submitted', { at: 8, stamped: 0.5 })], 'lost, working'],
  ])('%s', (_fact, lines, expected) => {
    expect(told(taskAfter(lines))).toBe(expected)
  })
})
