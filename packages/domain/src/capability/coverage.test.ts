import { describe, expect, it } from 'vitest'
import { answered, chunk, found, gap, inputOf, missed, pushed, restarted, sent, streamed, streamEnded, taskAfter, unanswered, type Line } from '../testing/history.ts'
import { explainTask } from '../root-cause/explain-task.ts'
import { addCoverage, coverageKnown, coverageOf, noCoverage, unwitnessedOf } from './coverage.ts'

/** `sent/seen tasks, answered/seen sends, ended/seen streams: level`. */
const coverageAfter = (lines: readonly Line[]): string => {
  const { tasks, sentTasks, sends, answeredSends, streams, endedStreams, level } = knownAfter(lines)
  return `${sentTasks}/${tasks} tasks, ${answeredSends}/${sends} sends, ${endedStreams}/${streams} streams: ${level}`
}

const knownAfter = (lines: readonly Line[]) =>
  coverageKnown(inputOf(lines).workers.get('w1'), coverageOf(taskAfter(lines), 'w1'))

describe('coverage of a worker', () => {
  it.each<[string, readonly Line[], string]>([
    ['nothing was seen', [], '0/0 tasks, 0/0 sends, 0/0 streams: none'],
    ['a not-found alone shows no traffic', [missed()], '0/0 tasks, 0/0 sends, 0/0 streams: none'],
    ['a send, its answer and its task', [sent(), answered('working')], '1/1 tasks, 1/1 sends, 0/0 streams: full'],
    ['the last that was heard is a send: it may be under way', [sent()], '0/0 tasks, 0/0 sends, 0/0 streams: none'],
    ['no answer was seen, and something was heard since', [sent({ sentMessageId: 'm-1' }), sent({ sentMessageId: 'm-2' }), answered('working', { messageId: 'm-2' })], '1/1 tasks, 1/2 sends, 0/0 streams: partial'],
    ['that a send got no answer is witnessed', [sent(), unanswered()], '0/0 tasks, 1/1 sends, 0/0 streams: full'],
    ['a task that nobody saw being sent', [found('working')], '0/1 tasks, 0/0 sends, 0/0 streams: low'],
    ['one of two is partial', [sent(), answered('working'), found('working', { task: 't-2' })], '1/2 tasks, 1/1 sends, 0/0 streams: partial'],
    ['an answer to a send that nobody saw', [answered('working')], '0/1 tasks, 0/0 sends, 0/0 streams: low'],
    ['another worker is another worker', [found('working', { worker: 'w2' })], '0/0 tasks, 0/0 sends, 0/0 streams: none'],
    ['a stream that was followed to the end', [sent(), answered('working'), streamed('working'), streamed('completed')], '1/1 tasks, 1/1 sends, 1/1 streams: full'],
    ['a stream whose end was reported', [sent(), answered('working'), streamed('working'), streamEnded(), missed()], '1/1 tasks, 1/1 sends, 1/1 streams: full'],
    ['a stream whose end nobody saw', [sent(), answered('working'), streamed('working'), found('completed')], '1/1 tasks, 1/1 sends, 0/1 streams: low'],
    ['chunks alone are a stream', [sent(), answered('working'), chunk('one'), found('completed')], '1/1 tasks, 1/1 sends, 0/1 streams: low'],
    ['a stream of an open task may still run', [sent(), answered('working'), streamed('working')], '1/1 tasks, 1/1 sends, 0/0 streams: full'],
    ['pushes are no stream', [sent(), answered('working'), pushed('working'), found('completed')], '1/1 tasks, 1/1 sends, 0/0 streams: full'],
    ['each witness has a stream of its own', [sent(), answered('working'), streamed('completed'), streamed('working', { by: 'gateway' })], '1/1 tasks, 1/1 sends, 1/2 streams: partial'],
    ['a known gap is partial', [sent(), answered('working'), gap(3, 4)], '1/1 tasks, 1/1 sends, 0/0 streams: partial'],
  ])('%s', (_fact, lines, expected) => {
    expect(coverageAfter(lines)).toBe(expected)
  })

  it('is that of all its tasks together', () => {
    const elsewhere = { ...noCoverage, tasks: 3, sentTasks: 0 }
    const here = coverageOf(taskAfter([sent(), answered('working')]), 'w1')
    expect(coverageKnown({ workerId: 'w1', facts: [], losses: [], coverage: elsewhere }, here)).toMatchObject({ ...addCoverage(elsewhere, here), level: 'low' })
  })

  it('is told in one sentence', () => {
    const told = (lines: readonly Line[]) => unwitnessedOf(knownAfter(lines))
    expect(told([])).toBe('No other traffic of {worker} was witnessed.')
    expect(told([sent(), answered('working')])).toBeUndefined()
    expect(told([sent({ sentMessageId: 'm-2' }), found('working'), found('completed', { task: 't-2' }), streamed('working', { task: 't-2' })])).toBe(
      'Of {worker}, 2 of 2 server tasks were never seen being sent; 1 of 1 sends was never seen being answered; 1 of 1 streams was never seen to their end.',
    )
  })
})

describe('low coverage blames nobody', () => {
  const begun = [sent(), answered('working')]
  it.each<[string, readonly Line[], string]>([
    ['a restart and a not-found, all of it witnessed', [...begun, restarted({ at: 3 }), missed({ at: 9 })], 'lost_on_restart strong worker'],
    ['life may have been seen after the restart, in the gap', [...begun, restarted({ at: 3 }), missed({ at: 9 }), gap(5, 7)], 'lost_on_restart possible unknown'],
    ['a gap before the restart hides nothing of it', [...begun, restarted({ at: 5 }), missed({ at: 9 }), gap(3, 4)], 'lost_on_restart strong worker'],
    ['what is unknown anyway stays as sure as it was', [...begun, missed({ at: 9 }), gap(3, 7)], 'cause_unknown possible unknown'],
  ])('%s', (_fact, lines, expected) => {
    const [first] = explainTask(taskAfter(lines)).findings
    expect(`${first?.cause} ${first?.confidence} ${first?.responsible}`).toBe(expected)
  })

  it('and says what was not witnessed, in the finding and in the summary', () => {
    const { summary, findings } = explainTask(taskAfter([...begun, restarted({ at: 3 }), missed({ at: 9 }), gap(5, 7)]))
    const sentence = 'Nothing of w1 was recorded from 2026-01-01T00:00:05.000Z to 2026-01-01T00:00:07.000Z.'
    expect(findings[0]).toMatchObject({ unwitnessed: sentence })
    expect(findings[0]).not.toHaveProperty('owner')
    expect(summary).toBe(
      `The task is indeterminate, last observed as working: worker w1 restarted and lost task t-1; who is responsible is not known. ${sentence}`,
    )
  })
})
