import { probeRecordOf, probeStepNames, probeSteps, type ProbeLearned, type ProbeStepData, type ProbeStepName } from '@a2a-ledger/domain'
import { describe, expect, it } from 'vitest'
import { defaultPlan } from './default-plan.ts'
import { nextMove, type Situation } from './next-move.ts'

const now: Situation = { nowMs: 1_000, restart: 'unknown', hasPushReceiver: false }
const plan = { ...defaultPlan, park: true }
const planned: ProbeStepData = { phase: 'planned', probeId: 'p', plan }
const begun = (step: ProbeStepName, attempt = 1, untilMs = 500): ProbeStepData => ({ phase: 'begun', probeId: 'p', step, attempt, owner: 'o', untilMs })
const ended = (step: ProbeStepName, learned: ProbeLearned = {}, rest: { outcome?: 'ok' | 'failed' | 'skipped'; isInterrupted?: true; calls?: number; bytes?: number } = {}): ProbeStepData => ({
  phase: 'ended',
  probeId: 'p',
  step,
  attempt: 1,
  outcome: 'ok',
  learned,
  calls: 1,
  bytes: 10,
  ...rest,
})
const target = (binding: 'JSONRPC' | 'HTTP+JSON', protocolVersion: '1.0' | '0.3' = '1.0') => ({ url: 'https://x.test/', binding, protocolVersion })
const card = { digest: 'd', targets: [target('JSONRPC'), target('HTTP+JSON')], isStreaming: true, isPushing: true, states: [], mediaTypes: [] }
const upTo = (step: ProbeStepName, learned: ProbeLearned = {}): readonly ProbeStepData[] => [
  planned,
  ...probeStepNames.slice(0, probeStepNames.indexOf(step) + 1).map((name) => ended(name, name === 'card' ? { card } : name === step ? learned : {})),
]
const inState = (state: 'working' | 'input-required' | 'completed'): ProbeLearned => ({ tasks: { canary: { taskId: 't', state } } })

const moveAfter = (moments: readonly ProbeStepData[], situation: Partial<Situation> = {}): string => {
  const record = probeRecordOf(moments.map((data, index) => ({ position: index + 1, atMs: 0, data })))
  if (record === undefined) throw new Error('no plan')
  const move = nextMove(record, { ...now, ...situation })
  switch (move.kind) {
    case 'do':
    case 'give-up':
      return `${move.kind} ${move.step} ${move.attempt}`
    case 'skip':
      return `skip ${move.step}: ${move.because}`
    case 'close':
      return `close ${move.state}${move.because === undefined ? '' : `: ${move.because}`}`
    case 'wait':
    case 'park':
      return `${move.kind} ${move.untilMs}`
    case 'over':
      return move.kind
  }
}

describe('what a probe does next', () => {
  it.each<[string, readonly ProbeStepData[], Partial<Situation>, string]>([
    ['first the card', [planned], {}, 'do card 1'],
    ['without a card nothing is sent', [planned, ended('card', {}, { outcome: 'failed' })], {}, 'skip unknown-task: there is no card'],
    ['a step that reads is begun again once its time is over', [planned, begun('card')], {}, 'do card 2'],
    ['before that it is another process that has it', [planned, begun('card', 1, 2_000)], {}, 'wait 2000'],
    ['a step that kills whoever does it is given up', [planned, begun('card', 3)], {}, 'give-up card 3'],
    ['a send is never done again', [...upTo('unknown-task'), begun('send')], {}, 'give-up send 1'],
    ['after an interrupted send nothing more is sent', [...upTo('unknown-task'), ended('send', {}, { outcome: 'failed', isInterrupted: true })], {}, 'skip rest: send was interrupted'],
    ['a message as the whole answer leaves no task', upTo('send', { isMessage: true }), {}, 'skip rest: a message was the whole answer'],
    ['a task that never rests is not asked for again', [...upTo('send', inState('working')), ended('rest', inState('working'), { outcome: 'failed' })], {}, 'skip fresh-client: the task came to no rest'],
    ['a task that rests is', upTo('rest', inState('input-required')), {}, 'do fresh-client 1'],
    ['a question is answered', upTo('same-message', inState('input-required')), {}, 'do answer 1'],
    ['what has ended is not answered', upTo('same-message', inState('completed')), {}, 'skip answer: the task does not wait for input'],
    ['what was not answered need not end', [...upTo('same-message', inState('completed')), ended('answer', {}, { outcome: 'skipped' })], {}, 'skip end: nothing was answered'],
    ['no push without an address', upTo('end', inState('completed')), {}, 'skip push: no address was given to push to'],
    ['a push with one', upTo('end', inState('completed')), { hasPushReceiver: true }, 'do push 1'],
    ['retention is that of an ended task', upTo('push', inState('working')), {}, 'skip retention: the task has not ended'],
    ['a second canary is parked where that is wanted', upTo('retention', inState('completed')), {}, 'do park 1'],
    ['it waits for a restart', upTo('parked', { tasks: { parked: { taskId: 'u', state: 'input-required' } } }), {}, `park ${plan.parkMsMax}`],
    ['and is asked for once one is known', upTo('parked', { tasks: { parked: { taskId: 'u', state: 'input-required' } } }), { restart: 'known' }, 'do after-restart 1'],
    ['not for ever', upTo('parked'), { nowMs: plan.parkMsMax }, 'skip after-restart: no restart became known in time'],
    ['not when nobody waits any longer', upTo('parked'), { restart: 'never' }, 'skip after-restart: no restart became known in time'],
    ['a restart known at the last moment counts', upTo('parked'), { nowMs: plan.parkMsMax, restart: 'known' }, 'do after-restart 1'],
    ['what is open is cleaned up', upTo('after-restart', inState('working')), {}, 'do clean-up 1'],
    ['what has ended need not be', upTo('after-restart', inState('completed')), {}, 'skip clean-up: nothing is open'],
    ['then it is closed', upTo('clean-up'), {}, 'close done'],
    ['as abandoned where it was interrupted', [...upTo('unknown-task'), ...probeStepNames.slice(2).map((name) => ended(name, {}, name === 'send' ? { outcome: 'failed', isInterrupted: true } : {}))], {}, 'close abandoned: send was interrupted'],
    ['once', [...upTo('clean-up'), { phase: 'closed', probeId: 'p', state: 'done' }], {}, 'over'],
    ['no more calls than planned', [planned, ended('card', { card }, { calls: plan.callsMax })], {}, `skip unknown-task: the budget of ${plan.callsMax} calls is used up`],
    ['no more bytes than planned', [planned, ended('card', { card }, { bytes: plan.bytesMax })], {}, `skip unknown-task: the budget of ${plan.bytesMax} bytes is used up`],
    ['no longer than planned', [planned, ended('card', { card })], { nowMs: plan.totalMsMax }, `skip unknown-task: the budget of ${plan.totalMsMax} ms is used up`],
    ['the budget does not keep it from cleaning up', [...upTo('parked', { tasks: { parked: { taskId: 'u' } } }), ended('after-restart', {}, { outcome: 'skipped', calls: plan.callsMax })], {}, 'do clean-up 1'],
  ])('%s', (_fact, moments, situation, move) => {
    expect(moveAfter(moments, situation)).toBe(move)
  })

  it('a binding of another version is no other way to the same task', () => {
    const other = { ...card, targets: [target('JSONRPC'), target('HTTP+JSON', '0.3')] }
    const moments = upTo('fresh-client', inState('completed')).map((moment) => (moment.phase === 'ended' && moment.step === 'card' ? ended('card', { card: other }) : moment))
    const rested = moments.map((moment) => (moment.phase === 'ended' && moment.step === 'rest' ? ended('rest', inState('completed')) : moment))
    expect(moveAfter(rested)).toBe('skip other-binding: the card offers no other binding of this version')
  })

  it('what sends is told from what only reads', () => {
    expect(probeStepNames.filter((name) => probeSteps[name].sends)).toEqual(['send', 'same-message', 'answer', 'park'])
  })
})
