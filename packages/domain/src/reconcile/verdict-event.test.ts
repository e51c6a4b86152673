import { describe, expect, it } from 'vitest'
import type { Actor } from '../event/dispatch-intent.ts'
import { answered, card, enrolled, missed, sent, taskAfter, unanswered, workersOf, type Line } from '../testing/history.ts'
import { decide } from './decide.ts'
import { verdictEvent } from './verdict-event.ts'

const heir: readonly Line[] = [card({ at: -20 }), card({ at: -20, worker: 'w3' }), enrolled({ trust: 'card' }, { at: -19, worker: 'w3' })]
const lost: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]

const eventAfter = (lines: readonly Line[]) => {
  const decision = decide(taskAfter(lines), workersOf(lines))
  if (decision === undefined) throw new Error('nothing is decided')
  return { decision, event: verdictEvent(decision, 'k') }
}

describe('V4 a decision as it is recorded', () => {
  it('V4 of a loss: named for the decision, about the worker and the task that were asked', () => {
    const { decision, event } = eventAfter([...heir, ...lost])
    expect(event).toEqual({
      attributes: {
        specversion: '1.0',
        id: decision.decisionId,
        source: 'urn:a2a-ledger:reconciler',
        type: 'reconciler.verdict',
        correlationid: 'k',
        workerid: 'w1',
        taskid: 't-1',
      },
      data: {
        decisionId: decision.decisionId,
        kind: 'redispatch',
        state: 'indeterminate',
        lastObserved: 'working',
        workerId: 'w3',
        because: [5, 6],
        considered: [{ workerId: 'w3', eligible: true }, { workerId: 'w1', eligible: false, because: 'lost_it' }],
        duplicateRisk: 'possible',
        question: { workerId: 'w1', taskId: 't-1', openedAt: 6 },
      },
    })
  })

  it.each<[string, readonly Line[], Actor, string]>([
    ['V8 a redispatch that is left to the ledger says so, and whose policy it was', [...heir, ...lost], 'ledger', 'redispatch ledger of m'],
    ['V8 a redispatch that waits for a person says so', [...heir, ...lost], 'approver', 'redispatch approver of m'],
    ['V8 a redispatch that is left to its caller names nobody', [...heir, ...lost], 'caller', 'redispatch nobody of m'],
    ['V8 what sends nothing is left to nobody', lost, 'ledger', 'unreconcilable nobody of m'],
  ])('%s', (_fact, lines, actor, expected) => {
    const { decision } = eventAfter(lines)
    const { data } = verdictEvent(decision, 'k', { mesh: 'm', actor })
    expect(`${data.kind} ${data.actor ?? 'nobody'} of ${data.mesh}`).toBe(expected)
  })

  it('V4 of a silence: no task is named, and nothing was observed', () => {
    const { decision, event } = eventAfter([sent({ at: 0 }), unanswered({ at: 5 })])
    expect(event.attributes).not.toHaveProperty('taskid')
    expect(decision).not.toHaveProperty('lastObserved')
    expect(event.data).toMatchObject({ kind: 'unreconcilable', duplicateRisk: 'likely', question: { workerId: 'w1', openedAt: 2 } })
  })
})
