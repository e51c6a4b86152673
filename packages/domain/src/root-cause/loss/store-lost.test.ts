import { answered, found, missed, ms, restarted, sent, type World } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

/** Another task of the worker that was last seen alive at `from`, and not found at `to`. */
const alsoLost = (...intervals: readonly (readonly [from: number, to: number])[]): World => ({
  known: {
    w1: {
      losses: intervals.map(([from, to], index) => ({
        correlationId: `k-${index}`,
        taskId: `other-${index}`,
        lastLifeMs: ms(from),
        firstNotFoundMs: ms(to),
        position: 101 + index,
      })),
    },
  },
})
const lost = [sent({ at: 1 }), answered('working', { at: 10 }), missed({ at: 20 })]

causeTable('store_lost', [
  ['another task of the worker goes in an overlapping interval', lost, alsoLost([5, 15]), 'possible 2, 3, 101'],
  ['one interval lies inside the other', lost, alsoLost([12, 14]), 'possible 2, 3, 101'],
  ['every overlapping loss is named', lost, alsoLost([5, 15], [15, 30], [40, 50]), 'possible 2, 3, 101, 102'],
  ['more losses than fit leave room for this task', lost, alsoLost(...Array.from({ length: 30 }, () => [5, 15] as const)), `possible 2, 3, ${Array.from({ length: 18 }, (_, index) => 113 + index).join(', ')}`],
  ['two attempts of one logical task at one worker are two tasks', [...lost, sent({ at: 11, sentMessageId: 'm-2' }), answered('working', { at: 12, task: 't-2' }), missed({ at: 21, task: 't-2' })], 'possible 2, 3, 5, 6'],
  ['one loss alone is none of the store', lost, 'cause_unknown'],
  ['one after the other is none of the store', lost, alsoLost([1, 5], [30, 40]), 'cause_unknown'],
  ['an interval that begins where this one ends does not overlap: its start is outside', lost, alsoLost([20, 30]), 'cause_unknown'],
  ['an interval that ends where this one begins does not overlap', lost, alsoLost([1, 10]), 'cause_unknown'],
  ['with a restart known it is lost on restart', [sent({ at: 1 }), answered('working', { at: 10 }), restarted({ at: 15 }), missed({ at: 20 })], alsoLost([5, 15]), 'lost_on_restart'],
  ['its own loss, told by the worker as well, is no second one', lost, { known: { w1: { losses: [{ correlationId: 'k', taskId: 't-1', lastLifeMs: ms(10), firstNotFoundMs: ms(20), position: 3 }] } } }, 'cause_unknown'],
  ['a live task is not lost with the others', [sent({ at: 1 }), answered('working', { at: 10 }), found('working', { at: 30 })], alsoLost([5, 15]), 'none'],
  ['a restart before the last life explains nothing', [sent({ at: 1 }), answered('submitted', { at: 2 }), restarted({ at: 5 }), found('working', { at: 10 }), missed({ at: 20 })], alsoLost([5, 15]), 'possible 4, 5, 101'],
  ['a restart after the first not-found explains nothing', [...lost, restarted({ at: 25 })], alsoLost([5, 15]), 'possible 2, 3, 101'],
  ['a loss at another worker is none of this store', [...lost, sent({ at: 11, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 12, worker: 'w2', task: 't-2', messageId: 'm-2' }), missed({ at: 15, worker: 'w2', task: 't-2' })], 'cause_unknown'],
  ['a loss that a restart explains says nothing about the store', [...lost, restarted({ at: 90 })], alsoLost([15, 100]), 'cause_unknown'],
  ['one that a restart at the moment it was missed explains neither', [...lost, restarted({ at: 30 })], alsoLost([15, 30]), 'cause_unknown'],
  ['a restart at the moment of its last life explains no loss', [...lost, restarted({ at: 5 })], alsoLost([5, 15]), 'possible 2, 3, 101'],
  ['a loss whose message got another id since tells of a restart', lost, { known: { w1: { losses: [{ correlationId: 'k-2', taskId: 'other', lastLifeMs: ms(5), firstNotFoundMs: ms(15), position: 101, reissuedAt: 105 }] } } }, 'lost_on_restart'],
  ['a task that ended and was purged is not lost', [...lost, sent({ at: 11, sentMessageId: 'm-2' }), answered('failed', { at: 12, task: 't-2', messageId: 'm-2' }), missed({ at: 21, task: 't-2' })], 'cause_unknown'],
  ['a loss of this logical task that the worker is known for counts once', [...lost, sent({ at: 11, sentMessageId: 'm-2' }), answered('working', { at: 12, task: 't-2', messageId: 'm-2' }), missed({ at: 21, task: 't-2' })], { known: { w1: { losses: [{ correlationId: 'k', taskId: 't-2', lastLifeMs: ms(12), firstNotFoundMs: ms(21), position: 77 }] } } }, 'possible 2, 3, 5, 6'],
])
