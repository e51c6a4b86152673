import { answered, enrolled, found, missed, ms, pushed, restarted, sent, type World } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]
const lost = [sent({ at: 1 }), answered('working', { at: 10 }), missed({ at: 20 })]

/** Another task of the worker that was lost between these seconds, and whose message got another id since. */
const reissued = (from: number, to: number): World => ({
  known: { w1: { losses: [{ correlationId: 'k-2', taskId: 'other', lastLifeMs: ms(from), firstNotFoundMs: ms(to), position: 101, reissuedAt: 105 }] } },
})

causeTable('lost_on_restart', [
  ['a restart between last life and first not-found', [...begun, restarted(), missed()], 'strong 2, 3, 4'],
  ['of several restarts the last one before the first not-found', [...begun, restarted(), restarted(), missed(), restarted(), missed({ at: 90 })], 'strong 2, 4, 5'],
  ['a restart at the very moment of the not-found comes first by its position', [...begun, restarted({ at: 9 }), missed({ at: 9 })], 'strong 2, 3, 4'],
  ['an interrupted task is lost on restart like a working one', [sent(), answered('input-required', { text: 'Which?' }), restarted(), missed()], 'strong 2, 3, 4'],
  ['a restart before the last life explains nothing', [...begun, restarted(), found('working'), missed()], 'cause_unknown'],
  ['a restart after the first not-found explains nothing', [...begun, missed(), restarted(), missed({ at: 90 })], 'cause_unknown'],
  ['a restart of another worker explains nothing', [...begun, restarted({ worker: 'w2' }), missed()], 'cause_unknown'],
  ['a contested task is lost by the not-found after the restart', [...begun, missed(), found('working'), missed({ at: 10 }), restarted({ at: 20 }), missed({ at: 30 })], 'strong 4, 5, 6'],
  ['with replicas the restart of the instance that held it', [enrolled({ replicas: 3 }), sent(), answered('working', { instance: 'a' }), restarted({ instance: 'a' }), missed({ instance: 'a' })], 'strong 3, 4, 5'],
  ['with replicas a restart of another instance explains nothing', [enrolled({ replicas: 2 }), sent(), answered('working', { instance: 'a' }), restarted({ instance: 'b' }), missed({ instance: 'a' }), missed({ instance: 'b' })], 'cause_unknown'],
  ['with replicas a restart that names no instance explains nothing', [enrolled({ replicas: 2 }), sent(), answered('working', { instance: 'a' }), restarted(), missed({ instance: 'a' }), missed({ instance: 'b' })], 'cause_unknown'],
  ['the same message gets a new id after the first not-found (C113c)', [...begun, missed(), sent(), answered('working', { task: 't-2' })], 'likely 2, 3, 4, 5'],
  ['a history that names the message under a new id tells the same', [...begun, missed(), pushed('working', { task: 't-2', form: 'snapshot', historyMessageId: 'm-1' })], 'likely 2, 3, 4'],
  ['another message with a new id tells of no restart', [...begun, missed(), sent({ sentMessageId: 'm-2' }), answered('working', { task: 't-2' })], 'cause_unknown'],
  ['the same message at another worker tells nothing about this one', [...begun, missed(), sent({ worker: 'w2' }), answered('working', { worker: 'w2', task: 't-2' })], 'cause_unknown'],
  ['the same message given a new id before the not-found tells of no restart', [...begun, sent(), answered('working', { task: 't-2' }), missed()], 'cause_unknown'],
  ['a live task is not lost, whatever restarts', [...begun, restarted()], 'none'],
  ['weak evidence loses nothing', [...begun, restarted(), missed({ operation: 'SubscribeToTask', evidence: 'weak' })], 'none'],
  ['the same message answered anew before the first not-found is no sign', [...begun, sent({ at: 3 }), answered('working', { at: 4, task: 't-2' }), missed({ at: 90 })], 'cause_unknown'],
  ['a task that a history links to the message, at another worker, is no sign', [...begun, missed({ at: 10 }), found('working', { at: 20, task: 't-2', worker: 'w2', historyMessageId: 'm-1' })], 'cause_unknown'],
  ['a task that a history links to the message, seen before the not-found, is no sign', [...begun, found('working', { at: 5, task: 't-2', historyMessageId: 'm-1' }), missed({ at: 10 })], 'cause_unknown'],
  ['a task without a history is no sign', [sent({ isUnnamed: true }), answered('working'), missed({ at: 10 }), found('working', { at: 20, task: 't-2' })], 'cause_unknown'],
  ['the message of a task that went within the same time gets another id', lost, reissued(12, 18), 'likely 2, 3, 101, 105'],
  ['one that went in the very same time', lost, reissued(10, 20), 'likely 2, 3, 101, 105'],
  ['one that was seen alive earlier may have gone before', lost, reissued(5, 18), 'possible 2, 3, 101, 105'],
  ['one that was missed later may have gone after', lost, reissued(12, 30), 'possible 2, 3, 101, 105'],
  ['one that went at another time tells nothing', lost, reissued(20, 30), 'cause_unknown'],
  ['another attempt at this work, whose message got another id, tells the same', [...lost, sent({ at: 11, sentMessageId: 'm-2' }), answered('working', { at: 12, task: 't-2', messageId: 'm-2' }), missed({ at: 18, task: 't-2' }), sent({ at: 40, sentMessageId: 'm-2' }), answered('working', { at: 41, task: 't-3', messageId: 'm-2' })], 'likely 2, 3, 5, 6, 7, 8'],
])
