import { describe, expect, it } from 'vitest'
import { canaryCorrelationId } from '../correlation/canary.ts'
import { answered, bare404, card, enrolled, found, missed, ms, restarted, sent, settled, taskAfter, unanswered, type Line, type World } from '../testing/history.ts'
import { watchedTasksOf } from './watched-tasks.ts'

const begun: readonly Line[] = [card({ at: 0 }), sent({ at: 0, binding: 'JSONRPC' }), answered('working', { at: 1 })]

/** In a line: standing, since which second, what is urgent, and how many not-founds are missing. */
const watched = (lines: readonly Line[], world: World = { asOf: 12 }): readonly string[] =>
  watchedTasksOf(taskAfter(lines, world), 'w1').map(
    ({ taskId, standing, sinceMs, urgentPosition = '-', missing }) => `${taskId} ${standing} since ${(sinceMs - ms(0)) / 1_000}, urgent ${urgentPosition}, ${missing} missing`,
  )

describe('what an observer knows of a task', () => {
  it.each<[string, readonly Line[], World | undefined, readonly string[]]>([
    ['V6 nothing speaks against it', begun, undefined, ['t-1 live since 1, urgent -, 0 missing']],
    ['F5 what has ended is not watched', [...begun, found('completed', { at: 5 })], undefined, []],
    ['what is at another worker is not watched', [sent({ at: 0, worker: 'w2' }), answered('working', { at: 1, worker: 'w2' })], undefined, []],
    ['V3 a canary is the affair of its probe', begun, { correlationId: canaryCorrelationId('p'), asOf: 12 }, []],
    ['a restart since it was seen makes it urgent', [...begun, restarted({ at: 3 })], undefined, ['t-1 live since 1, urgent 4, 0 missing']],
    ['a restart before it was seen does not', [...begun, restarted({ at: 3 }), found('working', { at: 4 })], undefined, ['t-1 live since 4, urgent -, 0 missing']],
    ['V5 lost, and grace runs', [...begun, missed({ at: 10 })], undefined, ['t-1 doubtful since 10, urgent 4, 0 missing']],
    ['V5 grace is over, and nothing is recorded yet', [...begun, missed({ at: 10 })], { asOf: 100 }, ['t-1 doubtful since 10, urgent 4, 0 missing']],
    ['V6 lost and decided', settled([...begun, missed({ at: 10 })]), { asOf: 200 }, ['t-1 settled since 10, urgent 4, 0 missing']],
    ['lost, and a later send is on its way', [...begun, missed({ at: 10 }), sent({ at: 11, sentMessageId: 'm-2' })], undefined, ['t-1 settled since 10, urgent 4, 0 missing']],
    ['lost, and what is asked about is the task after it', [...begun, sent({ at: 2, sentMessageId: 'm-2' }), answered('working', { at: 3, task: 't-2', messageId: 'm-2' }), missed({ at: 9 }), missed({ at: 10, task: 't-2' })], undefined, ['t-1 settled since 9, urgent 6, 0 missing', 't-2 doubtful since 10, urgent 7, 0 missing']],
    ['F8 weak evidence', [...begun, bare404({ at: 10 })], undefined, ['t-1 doubtful since 10, urgent 4, 0 missing']],
    ['F8 a call without an answer', [...begun, unanswered({ at: 8, task: 't-1', operation: 'GetTask' })], undefined, ['t-1 doubtful since 8, urgent 4, 0 missing']],
    ['F10 contested: three in a row are needed, and there is one', [...begun, missed({ at: 5 }), found('working', { at: 6 }), missed({ at: 10 })], undefined, ['t-1 doubtful since 10, urgent 6, 2 missing']],
    ['F8 weak evidence is none of them', [...begun, missed({ at: 5 }), found('working', { at: 6 }), missed({ at: 8 }), bare404({ at: 11 })], undefined, ['t-1 doubtful since 8, urgent 6, 2 missing']],
    ['F10 the same question seen twice is one', [...begun, missed({ at: 5 }), found('working', { at: 6 }), missed({ at: 10 }), missed({ at: 10.5, by: 'gateway' })], undefined, ['t-1 doubtful since 10, urgent 6, 2 missing']],
    ['F11 three replicas: forty-two in a row, and there is one', [enrolled({ replicas: 3 }), ...begun, missed({ at: 10 })], undefined, ['t-1 doubtful since 10, urgent 5, 41 missing']],
  ])('%s', (_fact, lines, world, expected) => {
    expect(watched(lines, world)).toEqual(expected)
  })

  it('F7 over which binding it was made, as far as that is known', () => {
    expect(watchedTasksOf(taskAfter(begun), 'w1')).toMatchObject([{ binding: 'JSONRPC' }])
    expect(watchedTasksOf(taskAfter([answered('working', { at: 1 })]), 'w1')[0]).not.toHaveProperty('binding')
  })

  it('in which state it was seen last', () => {
    expect(watchedTasksOf(taskAfter([answered('working', { at: 1 }), found('input-required', { at: 2 })]), 'w1')[0]?.state).toBe('input-required')
  })
})
