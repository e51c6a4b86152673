import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryCorrelations, testCodec } from '../testing/index.ts'
import { createCorrelationKeys } from './correlation-keys.ts'
import type { LinkRecord } from './lessons.ts'
import type { Observation } from './observation.ts'
import type { CorrelationRule, Stated } from './rule.ts'
import type { BatchEntry } from './resolve-correlations.ts'

const keys = createCorrelationKeys(testCodec)

interface Given extends Partial<BatchEntry> {
  readonly is: Partial<Observation>
}

const entry = ({ is, ...more }: Given): BatchEntry => ({
  digest: 'd',
  witnessMs: 0,
  ...more,
  observation: { role: 'observation', workerId: 'w1', answersOpenSend: false, claimsTask: false, isRestart: false, ...is },
})

const sent = (messageId: string, explicit?: string, more: Partial<Observation> = {}): Given => ({
  is: { role: 'dispatch', messageId, ...(explicit === undefined ? {} : { explicit }), ...more },
})
/** An answer to a send that named no task. */
const answer = (taskId: string, more: Partial<Observation> = {}): Given => ({
  is: { taskId, answersOpenSend: true, claimsTask: true, ...more },
})
/** A push, a poll: something seen of a task. */
const seen = (taskId: string, more: Partial<Observation> = {}): Given => ({ is: { taskId, claimsTask: true, ...more } })

/** What a payload or its envelope states, for the rules of a mesh. */
const saying = (stated: Partial<Stated>): Partial<Observation> => ({ stated: { attributes: {}, metadata: [], isOfWork: true, ...stated } })
const order = (id: string): Partial<Observation> => saying({ metadata: [JSON.stringify({ order: id })] })
const traced = (digit: string, isOfWork = true): Partial<Observation> =>
  saying({ attributes: { traceparent: `00-${digit.repeat(32)}-${'1'.repeat(16)}-01` }, isOfWork })
const T1 = '1'.repeat(32)
const decided = (...rules: readonly CorrelationRule[]): Given => ({
  is: { role: 'record', workerId: undefined as never, explicit: '~', teaching: { kind: 'rules-of-mesh', mesh: 'default', rules } },
})
const enrolledInto = (mesh: string, workerId = 'w1'): Given => ({
  is: { role: 'record', workerId, explicit: `~${workerId}`, teaching: { kind: 'mesh-of-worker', mesh } },
})
/** A person links the synthetic stream of `t-1`, or ends that. */
const byHand = (kind: 'link' | 'unlink', to: string, workerId = 'w1', taskId = 't-1'): Given => ({
  is: { role: 'record', workerId, explicit: to, teaching: { kind, from: `~${workerId}/${taskId}`, to, workerId, taskId } },
})
/** What comes on a stream of a send. */
const streamed = (taskId: string, more: Partial<Observation> = {}): Given =>
  answer(taskId, { stream: { source: 'client', streamId: 's-1' }, ...more })
/** What comes on a subscription. */
const subscribed = (taskId: string, more: Partial<Observation> = {}): Given =>
  seen(taskId, { stream: { source: 'client', streamId: 's-1' }, ...more })
const byOrder: CorrelationRule = { from: 'metadata', pointer: '/order' }
const byTrace: CorrelationRule = { from: 'trace' }

const arrowOf = (record: LinkRecord): string =>
  record.kind === 'linked' ? '->' : record.kind === 'unlinked' ? '-x-' : `since ${record.since} =>`

/** `position>correlation by rung`, a refusal behind `!`, links as `position:from->to because`. */
const run = (batches: readonly (readonly Given[])[]): string[] => {
  const store = createMemoryCorrelations(keys)
  return batches.flatMap((batch) => {
    const { placements, records } = store.append(batch.map(entry))
    const lines = placements.map((placement) => {
      if (placement.outcome !== 'placed') return { at: 0, line: placement.outcome === 'stale' ? `stale ${placement.position}` : 'unchanged' }
      const { position, correlationId, rung, refused, derivedFrom } = placement
      const from = derivedFrom === undefined ? '' : ` from ${derivedFrom}`
      const no = refused === undefined ? '' : ` ! ${refused.code} ${refused.correlationId}`
      return { at: position, line: `${position}>${correlationId} by ${rung}${from}${no}` }
    })
    const links = records.map((record) => ({ at: record.position, line: `${record.position}: ${record.from} ${arrowOf(record)} ${record.to} because ${record.because}` }))
    return [...lines, ...links].sort((one, other) => one.at - other.at).map(({ line }) => line)
  })
}

const rows: readonly (readonly [name: string, given: readonly Given[], then: readonly string[]])[] = [
  // the ladder
  ['rung 1: the envelope says whose it is', [seen('t-1', { explicit: 'k' })], ['1>k by explicit']],
  ['rung 1 comes before rung 2', [seen('t-1', { explicit: 'k', claim: 'other' })], ['1>k by explicit']],
  ['rung 2: the metadata says whose it is', [seen('t-1', { claim: 'k' })], ['1>k by claim']],
  ['rung 3: a link once learned holds for what says nothing', [seen('t-1', { explicit: 'k' }), seen('t-1')], ['1>k by explicit', '2>k by task-link']],
  ['rung 3: a task id is no key across workers', [seen('t-1', { explicit: 'k' }), seen('t-1', { workerId: 'w2' })], ['1>k by explicit', '2>~w2/t-1 by synthetic']],
  ['rung 4: the client message says whose it is', [sent('m-1', 'k'), seen('t-1', { messageId: 'm-1' })], ['1>k by explicit', '2>k by message-link']],
  ['rung 4: and the task is linked from there on', [sent('m-1', 'k'), seen('t-1', { messageId: 'm-1' }), seen('t-1')], ['1>k by explicit', '2>k by message-link', '3>k by task-link']],
  ['rung 4: a retried send without its correlation is the same work', [sent('m-1', 'k'), sent('m-1')], ['1>k by explicit', '2>k by message-link']],
  ['rung 4: a message id is no key across workers', [sent('m-1', 'k'), seen('t-1', { messageId: 'm-1', workerId: 'w2' })], ['1>k by explicit', '2>~w2/t-1 by synthetic']],
  ['rung 5: nobody knows', [seen('t-1')], ['1>~w1/t-1 by synthetic']],
  ['rung 5: without a task it is about the worker', [sent('m-1'), seen('t-1', { messageId: 'm-1' })], ['1>~w1 by synthetic', '2>~w1/t-1 by synthetic']],
  ['a send into a known task says whose it is', [seen('t-1', { explicit: 'k' }), sent('m-1', undefined, { taskId: 't-1' })], ['1>k by explicit', '2>k by task-link']],

  // K1
  ['K1: a worker that was never sent the work claims in vain', [sent('m-1', 'k'), seen('t-9', { workerId: 'w2', claim: 'k' })], ['1>k by explicit', '2>~w2/t-9 by synthetic ! correlation_claimed k']],
  ['K1: a claim to work that nobody dispatched counts', [seen('t-9', { workerId: 'w2', claim: 'k' })], ['1>k by claim']],
  ['K1: a worker that was sent the work too may claim it', [sent('m-1', 'k'), sent('m-2', 'k', { workerId: 'w2' }), seen('t-9', { workerId: 'w2', claim: 'k' })], ['1>k by explicit', '2>k by explicit', '3>k by claim']],
  ['K1: what a client writes into its own message counts', [sent('m-1', 'k'), sent('m-2', undefined, { workerId: 'w2', claim: 'k' })], ['1>k by explicit', '2>k by claim']],
  ['K1: the missing dispatch makes a claim count after all', [sent('m-1', 'k'), seen('t-8', { workerId: 'w2', claim: 'k' }), sent('m-3', 'k', { workerId: 'w2' }), seen('t-8', { workerId: 'w2' })], ['1>k by explicit', '2>~w2/t-8 by synthetic ! correlation_claimed k', '3>k by explicit', '4: ~w2/t-8 -> k because 3', '5>k by task-link']],
  ['K1: not a task that found another owner meanwhile', [sent('m-1', 'k'), seen('t-8', { workerId: 'w2', claim: 'k' }), seen('t-8', { workerId: 'w2', explicit: 'mine' }), sent('m-3', 'k', { workerId: 'w2' })], ['1>k by explicit', '2>~w2/t-8 by synthetic ! correlation_claimed k', '3>mine by explicit', '4: ~w2/t-8 -> mine because 3', '5>k by explicit']],
  ['K1: a refused claim does not hide whose the task is', [sent('m-1', 'k'), seen('t-9', { workerId: 'w2', explicit: 'own' }), seen('t-9', { workerId: 'w2', claim: 'k' })], ['1>k by explicit', '2>own by explicit', '3>own by task-link ! correlation_claimed k']],

  ['K1: a claim from before any dispatch does not count once the work is known to have been sent elsewhere', [seen('t-9', { workerId: 'w2', claim: 'k' }), seen('t-9', { workerId: 'w2' }), sent('m-1', 'k'), seen('t-9', { workerId: 'w2' })], ['1>k by claim', '2>k by task-link', '3>k by explicit', '4: k since 1 => ~w2/t-9 because 3', '5>~w2/t-9 by synthetic']],
  ['K1: and counts again once it is known to have been sent there too', [seen('t-9', { workerId: 'w2', claim: 'k' }), sent('m-1', 'k'), sent('m-2', 'k', { workerId: 'w2' }), seen('t-9', { workerId: 'w2' })], ['1>k by claim', '2>k by explicit', '3: k since 1 => ~w2/t-9 because 2', '4>k by explicit', '5: ~w2/t-9 -> k because 4', '6>k by task-link']],
  ['K1: what it had linked is apart again', [seen('t-9', { workerId: 'w2' }), seen('t-9', { workerId: 'w2', claim: 'k' }), sent('m-1', 'k')], ['1>~w2/t-9 by synthetic', '2>k by claim', '3: ~w2/t-9 -> k because 2', '4>k by explicit', '5: ~w2/t-9 -x- k because 4', '6: k since 2 => ~w2/t-9 because 4']],
  ['K1: a claim stays where the work was sent first', [seen('t-9', { claim: 'k' }), sent('m-1', 'k'), sent('m-2', 'k', { workerId: 'w2' }), seen('t-9')], ['1>k by claim', '2>k by explicit', '3>k by explicit', '4>k by task-link']],
  ['K1: a claim that a witness confirmed meanwhile stays', [seen('t-9', { workerId: 'w2', claim: 'k' }), seen('t-9', { workerId: 'w2', explicit: 'k' }), sent('m-1', 'k'), seen('t-9', { workerId: 'w2' })], ['1>k by claim', '2>k by explicit', '3>k by explicit', '4>k by task-link']],
  ['K1: of a claim that is taken back the next one is refused like any other', [seen('t-9', { workerId: 'w2', claim: 'k' }), sent('m-1', 'k'), seen('t-9', { workerId: 'w2', claim: 'k' })], ['1>k by claim', '2>k by explicit', '3: k since 1 => ~w2/t-9 because 2', '4>~w2/t-9 by synthetic ! correlation_claimed k']],

  // K2
  ['K2: the answer of a send that is recorded later is taken from the former owner, with what followed', [seen('t-1', { explicit: 'k1' }), answer('t-1', { messageId: 'm-2' }), seen('t-1'), sent('m-2', 'k2'), seen('t-1')], ['1>k1 by explicit', '2>k1 by task-link', '3>k1 by task-link', '4>k2 by explicit', '5: k1 since 2 => k2 because 4', '6>k2 by task-link']],
  ['K2: not when that send named the task', [seen('t-1', { explicit: 'k1' }), answer('t-1', { messageId: 'm-2' }), sent('m-2', 'k2', { taskId: 't-1' }), seen('t-1')], ['1>k1 by explicit', '2>k1 by task-link', '3>k2 by explicit', '4>k1 by task-link']],
  ['K2: nor when it was a send of the owner', [seen('t-1', { explicit: 'k1' }), answer('t-1', { messageId: 'm-2' }), sent('m-2', 'k1'), seen('t-1')], ['1>k1 by explicit', '2>k1 by task-link', '3>k1 by explicit', '4>k1 by task-link']],
  ['K2: an answer that bound a task of others gives it back when its send turns out to have named it', [seen('t-1', { explicit: 'k1' }), answer('t-1', { explicit: 'k2' }), seen('t-1'), sent('m-2', 'k2', { taskId: 't-1' }), seen('t-1')], ['1>k1 by explicit', '2>k2 by explicit', '3>k2 by task-link', '4>k2 by explicit', '5: k2 since 2 => k1 because 4', '6>k1 by task-link']],
  ['K2: it keeps it when an earlier send of it named none', [seen('t-1', { explicit: 'k1' }), sent('m-1', 'k2'), answer('t-1', { explicit: 'k2' }), sent('m-2', 'k2', { taskId: 't-1' }), seen('t-1')], ['1>k1 by explicit', '2>k2 by explicit', '3>k2 by explicit', '4>k2 by explicit', '5>k2 by task-link']],
  ['K2: what comes on the stream of a send belongs to that send, whatever task it names', [sent('m-1', 'k'), streamed('t-1', { explicit: 'k' }), streamed('t-2'), seen('t-2')], ['1>k by explicit', '2>k by explicit', '3>k by stream-link', '4>k by task-link']],
  ['K2: also when the task id is counted again meanwhile', [sent('m-1', 'k1'), streamed('t-1', { explicit: 'k1' }), sent('m-2', 'k2'), answer('t-1', { explicit: 'k2' }), streamed('t-1'), seen('t-1')], ['1>k1 by explicit', '2>k1 by explicit', '3>k2 by explicit', '4>k2 by explicit', '5>k1 by stream-link', '6>k2 by task-link']],
  ['K2: on a subscription another task is shown where it came, and is not bound by it', [subscribed('t-1', { explicit: 'k' }), subscribed('t-2'), seen('t-2')], ['1>k by explicit', '2>k by stream-link', '3>~w1/t-2 by synthetic']],
  ['K2: a task that is known comes before the subscription', [seen('t-2', { explicit: 'k2' }), subscribed('t-1', { explicit: 'k' }), subscribed('t-2')], ['1>k2 by explicit', '2>k by explicit', '3>k2 by task-link']],
  ['K2: a stream of nobody stays together too', [subscribed('t-1'), subscribed('t-2')], ['1>~w1/t-1 by synthetic', '2>~w1/t-1 by stream-link']],
  ['K1, K2: a stream does not follow a claim that was taken back', [subscribed('t-9', { workerId: 'w2', claim: 'k' }), sent('m-1', 'k'), subscribed('t-9', { workerId: 'w2' })], ['1>k by claim', '2>k by explicit', '3: k since 1 => ~w2/t-9 because 2', '4>~w2/t-9 by synthetic']],
  ['K2: the answer to a send binds its task', [sent('m-1', 'k'), answer('t-1', { explicit: 'k' }), seen('t-1')], ['1>k by explicit', '2>k by explicit', '3>k by task-link']],
  ['K2: an id counted from one again belongs to the new send', [sent('m-1', 'k1'), answer('t-1', { explicit: 'k1' }), sent('m-2', 'k2'), answer('t-1', { explicit: 'k2' }), seen('t-1')], ['1>k1 by explicit', '2>k1 by explicit', '3>k2 by explicit', '4>k2 by explicit', '5>k2 by task-link']],
  ['K2: also when only the message says whose the answer is', [sent('m-1', 'k1'), answer('t-1', { explicit: 'k1' }), sent('m-2', 'k2'), answer('t-1', { messageId: 'm-2' }), seen('t-1')], ['1>k1 by explicit', '2>k1 by explicit', '3>k2 by explicit', '4>k2 by message-link', '5>k2 by task-link']],
  ['K2: a late answer of the former send binds nothing back', [sent('m-1', 'k1'), answer('t-1', { explicit: 'k1' }), sent('m-2', 'k2'), answer('t-1', { explicit: 'k2' }), answer('t-1', { explicit: 'k1' }), seen('t-1')], ['1>k1 by explicit', '2>k1 by explicit', '3>k2 by explicit', '4>k2 by explicit', '5>k1 by explicit', '6>k2 by task-link']],
  ['K2: a further send of the former owner does', [sent('m-1', 'k1'), answer('t-1', { explicit: 'k1' }), sent('m-2', 'k2'), answer('t-1', { explicit: 'k2' }), sent('m-3', 'k1'), answer('t-1', { explicit: 'k1' }), seen('t-1')], ['1>k1 by explicit', '2>k1 by explicit', '3>k2 by explicit', '4>k2 by explicit', '5>k1 by explicit', '6>k1 by explicit', '7>k1 by task-link']],
  ['K2: a mere claim on a linked task is a conflict and binds nothing', [seen('t-1', { explicit: 'k3' }), seen('t-1', { explicit: 'k4' }), seen('t-1')], ['1>k3 by explicit', '2>k4 by explicit ! correlation_conflict k3', '3>k3 by task-link']],
  ['K2: so is the metadata of another task', [seen('t-1', { explicit: 'k3' }), seen('t-1', { claim: 'k4' })], ['1>k3 by explicit', '2>k4 by claim ! correlation_conflict k3']],
  ['K2: the answer to a send into a task of others is a conflict', [seen('t-1', { explicit: 'k1' }), sent('m-2', 'k2', { taskId: 't-1' }), answer('t-1', { explicit: 'k2', messageId: 'm-2' })], ['1>k1 by explicit', '2>k2 by explicit', '3>k2 by explicit ! correlation_conflict k1']],
  ['K2: also when the answer does not name the message', [seen('t-1', { explicit: 'k1' }), sent('m-2', 'k2', { taskId: 't-1' }), answer('t-1', { explicit: 'k2' })], ['1>k1 by explicit', '2>k2 by explicit', '3>k2 by explicit ! correlation_conflict k1']],
  ['K2: a send into a task of others that is refused claims nothing', [seen('t-1', { explicit: 'k1' }), sent('m-2', 'k2', { taskId: 't-1' }), { is: { taskId: 't-1', explicit: 'k2' } }, seen('t-1')], ['1>k1 by explicit', '2>k2 by explicit', '3>k2 by explicit', '4>k1 by task-link']],
  ['K2: what an orchestrator concludes binds nothing', [seen('t-1'), { is: { role: 'statement', explicit: 'k', taskId: 't-1' } }, seen('t-1')], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3>~w1/t-1 by synthetic']],

  // K3
  ['K3: a message id claimed by two correlations links nothing', [sent('m', 'k3'), sent('m', 'k4'), seen('t-3', { messageId: 'm' })], ['1>k3 by explicit', '2>k4 by explicit', '3>~w1/t-3 by synthetic']],
  ['K3: also when the second one is recorded after the snapshot, if it was sent before', [sent('m', 'k3'), seen('t-3', { messageId: 'm' }), seen('t-3'), sent('m', 'k4'), seen('t-3')], ['1>k3 by explicit', '2>k3 by message-link', '3>k3 by task-link', '4>k4 by explicit', '5: k3 since 2 => ~w1/t-3 because 4', '6>~w1/t-3 by synthetic']],
  ['K3: also when both are recorded after the snapshot', [seen('t-3', { messageId: 'm' }), sent('m', 'k3'), sent('m', 'k4')], ['1>~w1/t-3 by synthetic', '2>k3 by explicit', '3: ~w1/t-3 -> k3 because 2', '4>k4 by explicit', '5: ~w1/t-3 -x- k3 because 4', '6: k3 since 1 => ~w1/t-3 because 4']],
  ['K3: a send that came long after the snapshot takes nothing', [sent('m', 'k3'), seen('t-3', { messageId: 'm' }), { ...sent('m', 'k4'), witnessMs: 60_000 }, seen('t-3')], ['1>k3 by explicit', '2>k3 by message-link', '3>k4 by explicit', '4>k3 by task-link']],
  ['K3: nor is it in the way of a snapshot that is recorded late', [sent('m', 'k3'), { ...sent('m', 'k4'), witnessMs: 60_000 }, seen('t-3', { messageId: 'm' })], ['1>k3 by explicit', '2>k4 by explicit', '3>k3 by message-link']],
  ['K3: the one that was sent before the snapshot gets it, in whatever order they are recorded', [{ ...sent('m', 'k3'), witnessMs: 60_000 }, seen('t-3', { messageId: 'm' }), sent('m', 'k4'), seen('t-3')], ['1>k3 by explicit', '2>k3 by message-link', '3>k4 by explicit', '4: k3 since 2 => k4 because 3', '5>k4 by task-link']],
  ['K3: so does the synthetic stream that it waited in', [seen('t-3', { messageId: 'm' }), { ...sent('m', 'k3'), witnessMs: 60_000 }, sent('m', 'k4')], ['1>~w1/t-3 by synthetic', '2>k3 by explicit', '3: ~w1/t-3 -> k3 because 2', '4>k4 by explicit', '5: ~w1/t-3 -x- k3 because 4', '6: ~w1/t-3 -> k4 because 4', '7: k3 since 1 => k4 because 4']],
  ['K3: what a witness said too is not taken back', [sent('m', 'k3'), seen('t-3', { messageId: 'm' }), seen('t-3', { explicit: 'k3' }), sent('m', 'k4'), seen('t-3')], ['1>k3 by explicit', '2>k3 by message-link', '3>k3 by explicit', '4>k4 by explicit', '5>k3 by task-link']],
  ['K3: nor what answered the send', [sent('m', 'k3'), answer('t-3', { messageId: 'm' }), sent('m', 'k4'), seen('t-3')], ['1>k3 by explicit', '2>k3 by message-link', '3>k4 by explicit', '4>k3 by task-link']],
  ['K3: nor does it attribute a retry', [sent('m', 'k3'), sent('m', 'k4'), sent('m')], ['1>k3 by explicit', '2>k4 by explicit', '3>~w1 by synthetic']],
  ['K3: a known task comes before the message', [sent('m-1', 'k1'), seen('t-1', { explicit: 'k2' }), seen('t-1', { messageId: 'm-1' })], ['1>k1 by explicit', '2>k2 by explicit', '3>k2 by task-link']],

  // K7. Position 1 is the policy.
  ['K7: a send that names its order is of that order', [decided(byOrder), sent('m-1', undefined, order('o-1'))], ['1>~ by explicit', '2>o-1 by metadata']],
  ['K7: its answer follows it by the message, and what comes later by the task', [decided(byOrder), sent('m-1', undefined, order('o-1')), answer('t-1', { messageId: 'm-1' }), seen('t-1')], ['1>~ by explicit', '2>o-1 by metadata', '3>o-1 by message-link', '4>o-1 by task-link']],
  ['K7: the first rule that finds a name gives it', [decided(byOrder, byTrace), sent('m-1', undefined, traced('1')), sent('m-2', undefined, { ...traced('1'), ...order('o-1') })], ['1>~ by explicit', `2>${T1} by trace`, '3>o-1 by metadata']],
  ['K7: the envelope and the metadata of ours come before them', [decided(byOrder), sent('m-1', 'k', order('o-1')), sent('m-2', undefined, { claim: 'k2', ...order('o-1') })], ['1>~ by explicit', '2>k by explicit', '3>k2 by claim']],
  ['K7: a task that is known comes before them: a poll has a trace of its own', [decided({ from: 'attribute', name: 'xcall' }), seen('t-1', { explicit: 'k' }), seen('t-1', saying({ attributes: { xcall: 'poll-7' } }))], ['1>~ by explicit', '2>k by explicit', '3>k by task-link']],
  ['K7: a message that is known comes before them too', [decided(byTrace), sent('m-1', 'k'), seen('t-1', { messageId: 'm-1', ...traced('1') })], ['1>~ by explicit', '2>k by explicit', '3>k by message-link']],
  ['K7: a send says itself what it is for, whatever its message id was used for', [decided(byOrder), sent('m', undefined, order('o-1')), sent('m', undefined, order('o-2'))], ['1>~ by explicit', '2>o-1 by metadata', '3>o-2 by metadata']],
  ['K7, K3: then that message links nothing', [decided(byOrder), sent('m', undefined, order('o-1')), sent('m', undefined, order('o-2')), seen('t-1', { messageId: 'm' })], ['1>~ by explicit', '2>o-1 by metadata', '3>o-2 by metadata', '4>~w1/t-1 by synthetic']],
  ['K7: a send into a known task is of that task', [decided(byTrace), seen('t-1', { explicit: 'k' }), sent('m-2', undefined, { taskId: 't-1', ...traced('1') })], ['1>~ by explicit', '2>k by explicit', '3>k by task-link']],
  ['K7, K2: the answer to a send belongs to that send, whosever the task id was', [decided(byTrace), seen('t-1', { explicit: 'k' }), sent('m-2', undefined, traced('1')), answer('t-1', traced('1')), seen('t-1')], ['1>~ by explicit', '2>k by explicit', `3>${T1} by trace`, `4>${T1} by trace`, `5>${T1} by task-link`]],
  ['K7, K1: what a worker writes is a claim, and in vain where the work was sent to others', [decided(byOrder), sent('m-1', 'o-1'), seen('t-9', { workerId: 'w2', ...order('o-1') })], ['1>~ by explicit', '2>o-1 by explicit', '3>~w2/t-9 by synthetic ! correlation_claimed o-1']],
  ['K7, K1: after a claim in vain the next rule is asked', [decided(byOrder, byTrace), sent('m-1', 'o-1'), seen('t-9', { workerId: 'w2', ...saying({ metadata: ['{"order":"o-1"}'], attributes: { traceparent: `00-${T1}-1111111111111111-01` } }) })], ['1>~ by explicit', '2>o-1 by explicit', `3>${T1} by trace ! correlation_claimed o-1`]],
  ['K7, K1: a claim in vain counts once the work was sent there', [decided(byOrder), sent('m-1', 'o-1'), seen('t-9', { workerId: 'w2', ...order('o-1') }), sent('m-2', 'o-1', { workerId: 'w2' })], ['1>~ by explicit', '2>o-1 by explicit', '3>~w2/t-9 by synthetic ! correlation_claimed o-1', '4>o-1 by explicit', '5: ~w2/t-9 -> o-1 because 4']],
  ['K7, K6: a name that comes late links what came before', [decided(byOrder), seen('t-1'), seen('t-1', order('o-1'))], ['1>~ by explicit', '2>~w1/t-1 by synthetic', '3>o-1 by metadata', '4: ~w1/t-1 -> o-1 because 3']],
  ['K7: a poll is not of the work by its trace', [decided(byTrace), seen('t-1', traced('1', false))], ['1>~ by explicit', '2>~w1/t-1 by synthetic']],
  ['K7: a context is that of one worker', [decided({ from: 'context' }), seen('t-1', saying({ contextId: 'c/1' })), seen('t-2', { workerId: 'w2', ...saying({ contextId: 'c/1' }) })], ['1>~ by explicit', '2>w1/c%2F1 by context', '3>w2/c%2F1 by context']],
  ['K7, K1: a context across workers is what a worker says', [decided({ from: 'context', acrossWorkers: true }), sent('m-1', undefined, saying({ contextId: 'c' })), seen('t-2', { workerId: 'w2', ...saying({ contextId: 'c' }) })], ['1>~ by explicit', '2>c by context', '3>~w2/t-2 by synthetic ! correlation_claimed c']],
  ['K7: those of another mesh do not concern a worker', [decided(byOrder), enrolledInto('other'), sent('m-1', undefined, order('o-1'))], ['1>~ by explicit', '2>~w1 by explicit', '3>~w1 by synthetic']],
  ['K7: a worker that changes its mesh is placed by the new one from there on', [decided(byOrder), enrolledInto('other'), sent('m-1', undefined, order('o-1')), enrolledInto('default'), sent('m-1', undefined, order('o-1'))], ['1>~ by explicit', '2>~w1 by explicit', '3>~w1 by synthetic', '4>~w1 by explicit', '5>o-1 by metadata']],
  ['K7: a rule that comes later places nothing again', [sent('m-1', undefined, order('o-1')), decided(byOrder), sent('m-2', undefined, order('o-1')), decided(), sent('m-3', undefined, order('o-1'))], ['1>~w1 by synthetic', '2>~ by explicit', '3>o-1 by metadata', '4>~ by explicit', '5>~w1 by synthetic']],
  ['K7: neither a conclusion nor a fact about a worker is placed by them', [decided(byOrder), { is: { role: 'worker-fact' } }, { is: { role: 'statement', explicit: 'k', taskId: 't-1' } }], ['1>~ by explicit', '2>~w1 by synthetic', '3>k by explicit']],

  // K4
  ['K4: facts about a worker live in its stream, whoever names what', [{ is: { role: 'worker-fact', explicit: 'k' } }], ['1>~w1 by synthetic']],
  ['K4: a decision without a worker lives in the stream of the deployment', [{ is: { role: 'record', workerId: undefined as never } }], ['1>~ by synthetic']],
  ['K4: a decision about a worker lives in the stream of the worker', [{ is: { role: 'record', taskId: 't-1' } }], ['1>~w1 by synthetic']],
  ['K4: a decision may name a synthetic stream', [seen('t-1'), { is: { role: 'record', explicit: '~w1/t-1' } }], ['1>~w1/t-1 by synthetic', '2>~w1/t-1 by explicit']],

  // K5, L13
  ['K5: an answer about many tasks is evidence, and one observation a task', [seen('t-1', { explicit: 'k' }), { is: { role: 'worker-fact' } }, { ...seen('t-1'), derivedFrom: 1 }, { ...seen('t-2'), derivedFrom: 1 }], ['1>k by explicit', '2>~w1 by synthetic', '3>k by task-link from 2', '4>~w1/t-2 by synthetic from 2']],
  ['L13: a task that is listed as before is no event', [{ is: { role: 'worker-fact' } }, { ...seen('t-1'), derivedFrom: 0 }, { is: { role: 'worker-fact' } }, { ...seen('t-1'), derivedFrom: 2 }], ['unchanged', '1>~w1 by synthetic', '2>~w1/t-1 by synthetic from 1', '3>~w1 by synthetic']],
  ['L13: a restart in between makes it one', [{ is: { role: 'worker-fact' } }, { ...seen('t-1'), derivedFrom: 0 }, { is: { role: 'worker-fact', isRestart: true } }, { is: { role: 'worker-fact' } }, { ...seen('t-1'), derivedFrom: 3 }], ['1>~w1 by synthetic', '2>~w1/t-1 by synthetic from 1', '3>~w1 by synthetic', '4>~w1 by synthetic', '5>~w1/t-1 by synthetic from 4']],
  ['L13: a not-found in between makes it one', [{ is: { role: 'worker-fact' } }, { ...seen('t-1'), derivedFrom: 0 }, seen('t-1'), { is: { role: 'worker-fact' } }, { ...seen('t-1'), derivedFrom: 3 }], ['1>~w1 by synthetic', '2>~w1/t-1 by synthetic from 1', '3>~w1/t-1 by synthetic', '4>~w1 by synthetic', '5>~w1/t-1 by synthetic from 4']],

  // K6
  ['K6: a link learned later covers the synthetic stream', [seen('t-1'), sent('m-1', 'k'), answer('t-1', { explicit: 'k' }), seen('t-1')], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3>k by explicit', '4: ~w1/t-1 -> k because 3', '5>k by task-link']],
  ['K6: its neighbour stays alone', [seen('t-1'), seen('t-2'), answer('t-1', { explicit: 'k' })], ['1>~w1/t-1 by synthetic', '2>~w1/t-2 by synthetic', '3>k by explicit', '4: ~w1/t-1 -> k because 3']],
  ['K6: a task without a synthetic stream needs no alias', [answer('t-1', { explicit: 'k' })], ['1>k by explicit']],
  ['K6: an id that is bound again leaves the alias where it is', [seen('t-1'), answer('t-1', { explicit: 'k1' }), answer('t-1', { explicit: 'k2' })], ['1>~w1/t-1 by synthetic', '2>k1 by explicit', '3: ~w1/t-1 -> k1 because 2', '4>k2 by explicit']],
  ['K6: metadata that comes with a later chunk links what came before', [answer('t-1'), answer('t-1', { claim: 'k' }), answer('t-1')], ['1>~w1/t-1 by synthetic', '2>k by claim', '3: ~w1/t-1 -> k because 2', '4>k by task-link']],
  ['K6: the dispatch that a snapshot waited for links it', [seen('t-1', { messageId: 'm-1' }), sent('m-1', 'k')], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3: ~w1/t-1 -> k because 2']],
  ['K6: not when that message is claimed twice', [sent('m', 'k1'), sent('m', 'k2'), seen('t-1', { messageId: 'm' }), sent('m', 'k3')], ['1>k1 by explicit', '2>k2 by explicit', '3>~w1/t-1 by synthetic', '4>k3 by explicit']],
  ['K6: a link to a synthetic stream is none', [seen('t-1'), { is: { role: 'record', explicit: '~w1/t-1', taskId: 't-1' } }, answer('t-1', { explicit: 'k' })], ['1>~w1/t-1 by synthetic', '2>~w1/t-1 by explicit', '3>k by explicit', '4: ~w1/t-1 -> k because 3']],

  // K6, by hand
  ['K6: a person links a synthetic stream, and what comes later stays in it', [seen('t-1'), byHand('link', 'k'), seen('t-1')], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3>~w1/t-1 by synthetic']],
  ['K6: it is linked to one at a time', [seen('t-1'), byHand('link', 'k'), byHand('link', 'k2'), byHand('link', 'k')], ['stale 2', 'stale 2', '1>~w1/t-1 by synthetic', '2>k by explicit']],
  ['K6: and is that task: another claim is a conflict', [seen('t-1'), byHand('link', 'k'), seen('t-1', { explicit: 'k2' })], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3>k2 by explicit ! correlation_conflict k']],
  ['K6: undone, it is nobody\'s, and can be linked again', [seen('t-1'), byHand('link', 'k'), byHand('unlink', 'k'), seen('t-1'), byHand('link', 'k2'), seen('t-1', { explicit: 'k2' })], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3>k by explicit', '4>~w1/t-1 by synthetic', '5>k2 by explicit', '6>k2 by explicit']],
  ['K6: only what is linked can be undone', [seen('t-1'), byHand('unlink', 'k'), byHand('link', 'k'), byHand('unlink', 'k2')], ['stale 0', 'stale 2', '1>~w1/t-1 by synthetic', '2>k by explicit']],
  ['K6: what the ledger linked can be undone, and what the link placed goes back with it', [seen('t-1'), seen('t-1', { explicit: 'k' }), seen('t-1'), byHand('unlink', 'k'), seen('t-1')], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3: ~w1/t-1 -> k because 2', '4>k by task-link', '5>k by explicit', '6: k since 2 => ~w1/t-1 because 5', '7>~w1/t-1 by synthetic']],
  ['K6: what answered a send of the task stays with it: the id was counted again', [seen('t-1'), sent('m-1', 'k'), answer('t-1', { explicit: 'k' }), byHand('unlink', 'k'), seen('t-1')], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3>k by explicit', '4: ~w1/t-1 -> k because 3', '5>k by explicit', '6>k by task-link']],
  ['K6: the ledger does not link again what a person undid', [seen('t-1'), seen('t-1', { explicit: 'k' }), byHand('unlink', 'k'), seen('t-1', { explicit: 'k' }), seen('t-1'), sent('m-9', 'k', { taskId: 't-1' })], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3: ~w1/t-1 -> k because 2', '4>k by explicit', '5: k since 2 => ~w1/t-1 because 4', '6>k by explicit', '7>~w1/t-1 by synthetic', '8>k by explicit']],
  ['K6: another logical task may still get it', [seen('t-1'), seen('t-1', { explicit: 'k' }), byHand('unlink', 'k'), seen('t-1', { explicit: 'k2' })], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3: ~w1/t-1 -> k because 2', '4>k by explicit', '5: k since 2 => ~w1/t-1 because 4', '6>k2 by explicit', '7: ~w1/t-1 -> k2 because 6']],

  // L14
  ['L14: a link is newer for both its streams', [seen('t-1'), byHand('link', 'k'), { is: { role: 'record', explicit: '~w1/t-1' }, ifStreamPosition: 1 }, { is: { role: 'record', explicit: 'k' }, ifStreamPosition: 1 }], ['stale 2', 'stale 2', '1>~w1/t-1 by synthetic', '2>k by explicit']],
  ['L14: so is what comes in a stream that was linked by hand', [seen('t-1'), byHand('link', 'k'), seen('t-1'), { is: { role: 'record', explicit: 'k' }, ifStreamPosition: 2 }], ['stale 3', '1>~w1/t-1 by synthetic', '2>k by explicit', '3>~w1/t-1 by synthetic']],
  ['L14: once it is undone it is not', [seen('t-1'), byHand('link', 'k'), byHand('unlink', 'k'), seen('t-1'), { is: { role: 'record', explicit: 'k' }, ifStreamPosition: 3 }], ['1>~w1/t-1 by synthetic', '2>k by explicit', '3>k by explicit', '4>~w1/t-1 by synthetic', '5>k by explicit']],
  ['L14: what goes to another stream is newer for both', [seen('t-9', { workerId: 'w2', claim: 'k' }), sent('m-1', 'k'), { is: { role: 'record', explicit: '~w2/t-9' }, ifStreamPosition: 2 }], ['stale 3', '1>k by claim', '2>k by explicit', '3: k since 1 => ~w2/t-9 because 2']],
  ['L14: a decision on the newest of its stream is recorded', [seen('t-1', { explicit: 'k' }), { is: { role: 'record', explicit: 'k' }, ifStreamPosition: 1 }], ['1>k by explicit', '2>k by explicit']],
  ['L14: a decision on less is stale', [seen('t-1', { explicit: 'k' }), seen('t-1'), { is: { role: 'record', explicit: 'k' }, ifStreamPosition: 1 }], ['stale 2', '1>k by explicit', '2>k by task-link']],
  ['L14: other streams do not count', [seen('t-1', { explicit: 'k' }), seen('t-2'), { is: { role: 'record', explicit: 'k' }, ifStreamPosition: 1 }], ['1>k by explicit', '2>~w1/t-2 by synthetic', '3>k by explicit']],
  ['L14: a stream that was linked to it counts', [seen('t-1', { explicit: 'k' }), seen('t-2'), answer('t-2', { explicit: 'k' }), { is: { role: 'record', explicit: 'k' }, ifStreamPosition: 3 }], ['stale 4', '1>k by explicit', '2>~w1/t-2 by synthetic', '3>k by explicit', '4: ~w1/t-2 -> k because 3']],
]

describe('in one batch', () => {
  test.each(rows)('%s', (_, given, then) => {
    expect(run([given])).toEqual(then)
  })
})

describe('event by event', () => {
  // A derived observation is always in the batch of its answer.
  test.each(rows.filter(([, given]) => given.every(({ derivedFrom }) => derivedFrom === undefined)))('%s', (_, given, then) => {
    expect(run(given.map((one) => [one])).toSorted()).toEqual(then.toSorted())
  })
})

describe('any history', () => {
  const among = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> => fc.constantFrom(undefined, ...values)
  const history = fc.array(
    fc.record({
      role: fc.constantFrom('dispatch', 'observation', 'observation', 'observation', 'statement', 'worker-fact'),
      workerId: fc.constantFrom('w1', 'w2'),
      taskId: among('t1', 't2'),
      explicit: among('k1', 'k2'),
      claim: among('k1', 'k2'),
      messageId: among('m1', 'm2'),
      answersOpenSend: fc.boolean(),
      stated: among(...['k1', 'k2'].map((id) => order(id).stated), saying({ contextId: 'c' }).stated),
    }),
    { maxLength: 12 },
  )
  const given = (events: readonly object[]): Given[] => [
    decided(byOrder, { from: 'context' }),
    ...events.map((is) => ({ is: Object.fromEntries(Object.entries(is).filter(([, value]) => value !== undefined)) })),
  ]

  test('comes out the same wherever group commits cut it', () => {
    fc.assert(
      fc.property(history, fc.nat(12), (events, cut) => {
        const whole = run([given(events)]).toSorted()
        const all = given(events)
        expect(run([all.slice(0, cut), all.slice(cut)]).toSorted()).toEqual(whole)
        expect(run(all.map((one) => [one])).toSorted()).toEqual(whole)
      }),
      { numRuns: 500 },
    )
  })

  test('K6: a synthetic stream is part of one logical task at a time, and never of a synthetic one', () => {
    fc.assert(
      fc.property(history, (events) => {
        const store = createMemoryCorrelations(keys)
        const standing = new Map<string, string>()
        for (const record of given(events).flatMap((one) => [...store.append([entry(one)]).records])) {
          if (record.kind === 'moved') continue
          expect(record.from.startsWith('~') && !record.to.startsWith('~')).toBe(true)
          expect(standing.get(record.from)).toBe(record.kind === 'linked' ? undefined : record.to)
          if (record.kind === 'linked') standing.set(record.from, record.to)
          else standing.delete(record.from)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('L4: positions are dense', () => {
    fc.assert(
      fc.property(history, (events) => {
        const lines = run([given(events)])
        expect(lines.map((line) => Number.parseInt(line, 10))).toEqual(lines.map((_, index) => index + 1))
      }),
    )
  })
})
