/** Histories as they happen, and some that should not: what the properties of the fold are tried on. */
import fc from 'fast-check'
import type { TimelineReading } from '../a2a/reading.ts'
import { observableStates, type TaskState } from '../task/state.ts'
import {
  answered,
  bare404,
  card,
  chunk,
  concluded,
  enrolled,
  found,
  intended,
  intentSettled,
  messaged,
  missed,
  ms,
  piece,
  pushed,
  refused,
  restarted,
  routeProved,
  sent,
  streamed,
  streamEnded,
  unanswered,
  unreadable,
  type Line,
} from './history.ts'

/** Members that are there or not, without ever being `undefined`. */
const some = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> =>
  fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>

/** Few seconds, so that many are equal. */
const second = fc.integer({ min: 0, max: 40 })
const worker = fc.constantFrom('w1', 'w2')
const task = fc.constantFrom('t-1', 't-1', 't-2')
const witness = fc.constantFrom('orchestrator', 'gateway')
const scope = fc.constantFrom('a', 'b')
const instance = fc.constantFrom('a', 'b', 'c')
const messageId = fc.constantFrom('m-1', 'm-2', 'm-3')
const contextId = fc.constantFrom('c-1', 'c-2')
const state: fc.Arbitrary<TaskState> = fc.constantFrom(...observableStates)

const place = { at: second, worker, task, by: witness }
const ordered = { streamId: fc.constantFrom('s', 'r'), sequence: fc.constantFrom('1', '2', '10', 'x') }
const held = fc.array(
  fc.tuple(fc.constantFrom('one', 'two', ''), fc.constantFrom('a-1', 'a-2')).map(([text, artifactId]) => piece(text, { artifactId })),
  { maxLength: 2 },
)
const timeline = fc.constantFrom<TimelineReading>(
  { states: ['submitted', 'working'], isWhole: true },
  { states: ['working'], isWhole: true, isUnordered: true },
  { states: ['completed', 'working'] },
)
const reported = some({
  ...place,
  stamped: fc.integer({ min: -10, max: 60 }),
  scope,
  instance,
  messageId,
  contextId,
  historyMessageId: messageId,
  holding: held,
  text: fc.constantFrom('which colour?', 'busy'),
  timeline,
})
const errors = some({ ...place, scope, instance, messageId, evidence: fc.constantFrom('strong', 'strong', 'weak', 'none') })

/** What a witness tells of the task. */
const observation: fc.Arbitrary<Line> = fc.oneof(
  { weight: 3, arbitrary: some({ ...place, scope, sentMessageId: messageId, contextId, naming: task, acceptedModes: fc.constantFrom(['text/plain'], ['application/json'], []) }).map(sent) },
  { weight: 4, arbitrary: fc.tuple(state, reported).map(([is, told]) => found(is, told)) },
  { weight: 3, arbitrary: fc.tuple(state, reported).map(([is, told]) => answered(is, told)) },
  { weight: 3, arbitrary: fc.tuple(state, reported).map(([is, told]) => pushed(is, told)) },
  { weight: 2, arbitrary: fc.tuple(state, reported, some(ordered)).map(([is, told, order]) => streamed(is, { ...told, ...order })) },
  { weight: 4, arbitrary: errors.map(missed) },
  { weight: 1, arbitrary: some({ ...place, scope }).map(bare404) },
  { weight: 1, arbitrary: some({ at: second, worker, by: witness, messageId }).map(refused) },
  { weight: 1, arbitrary: some({ at: second, worker, by: witness, messageId }).map(unanswered) },
  { weight: 1, arbitrary: some(place).map(streamEnded) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('one', 'two', 'uno', ''), some({ ...place, ...ordered, append: fc.boolean(), lastChunk: fc.boolean() }), fc.constantFrom('a-1', 'a-2'))
      .map(([text, told, artifactId]) => chunk(text, { ...told, artifact: { artifactId } })),
  },
  { weight: 1, arbitrary: some({ at: second, worker, by: witness, messageId }).map((told) => messaged('done', told)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('failed', 'completed'), some(place)).map(([is, told]) => concluded(is, told)) },
)

const line: fc.Arbitrary<Line> = fc.oneof(
  { weight: 28, arbitrary: observation },
  { weight: 1, arbitrary: some({ at: second, worker, sentMessageId: messageId, ttl: fc.constantFrom(1, 60) }).map(intended) },
  { weight: 1, arbitrary: fc.tuple(fc.integer({ min: 1, max: 10 }), fc.constantFrom('sent', 'not-sent')).map(([of, is]) => intentSettled(of, is, {})) },
)

/** Polls that say the same again and again: what runs are made of. */
const polls: fc.Arbitrary<readonly Line[]> = fc
  .tuple(fc.constantFrom<TaskState>('working', 'input-required', 'completed'), fc.array(second, { minLength: 3, maxLength: 9 }), some({ worker, task, stamped: second, timeline }))
  .map(([is, seconds, told]) => seconds.toSorted((left, right) => left - right).map((at) => found(is, { ...told, at })))

const aboutWorkers: fc.Arbitrary<Line> = fc.oneof(
  some({ at: second, worker, instance }).map(restarted),
  fc.tuple(some({ trust: fc.constantFrom('card', 'verify'), replicas: fc.integer({ min: 1, max: 3 }) }), some({ worker })).map(([policy, told]) => enrolled(policy, told)),
  some({ at: second, worker, task, scope }).map(routeProved),
  some({ at: second, worker, outputModes: fc.constantFrom(['text/plain'], ['application/json']) }).map(card),
)

/** Lines that show as the facts they are when a property fails. */
const shown = (lines: readonly Line[]): readonly Line[] =>
  Object.assign([...lines], { [fc.toStringMethod]: () => lines.map((each, index) => JSON.stringify(each(index + 1))).join('\n') })

/** Dispatches, answers, pushes, streams, errors, restarts of two workers, with equal times and disorder. */
export const anyHistory: fc.Arbitrary<readonly Line[]> = fc
  .array(fc.oneof({ weight: 8, arbitrary: line.map((one) => [one]) }, { weight: 2, arbitrary: polls }, { weight: 2, arbitrary: aboutWorkers.map((one) => [one]) }), { maxLength: 25 })
  .map((parts) => shown(parts.flat()))

/**
 * What witnesses tell of the task, at times of which no two are equal, by any clock. Intents are not among
 * it: one is recorded before its send, whatever the order in which witnesses come (V8).
 */
export const atDistinctTimes: fc.Arbitrary<readonly Line[]> = fc.array(observation, { maxLength: 25 }).map((lines) =>
  shown(
    lines.map((each, index): Line => (position) => {
      const atMs = ms(index * 3)
      const fact = each(position)
      return { ...fact, atMs, recordedAtMs: atMs, ...('statusAtMs' in fact && { statusAtMs: ms(index * 3 - 1) }) }
    }),
  ),
)

/** The same with an event in it that was not understood. */
export const anyIncompleteHistory: fc.Arbitrary<readonly Line[]> = fc
  .tuple(anyHistory, anyHistory)
  .map(([before, after]) => shown([...before, unreadable(), ...after]))

/** Only non-terminal reports, and not-founds of every kind. */
export const openHistory: fc.Arbitrary<readonly Line[]> = fc
  .array(
    fc.oneof(
      some({ ...place, sentMessageId: messageId }).map(sent),
      fc.tuple(fc.constantFrom<TaskState>('submitted', 'working', 'input-required', 'auth-required', 'unknown'), reported).map(([is, told]) => found(is, told)),
      errors.map(missed),
      some({ ...place, scope }).map(bare404),
      aboutWorkers,
    ),
    { maxLength: 25 },
  )
  .map(shown)

/** Open work of which everything is asked for at the end, and nothing is found. */
export const lostHistory: fc.Arbitrary<readonly Line[]> = openHistory.map((lines) =>
  shown([
    ...lines,
    ...[50, 60, 70, 80].flatMap((at) => ['w1', 'w2'].flatMap((ofWorker) => ['t-1', 't-2'].map((ofTask) => missed({ at, worker: ofWorker, task: ofTask })))),
  ]),
)

/** What happens after everything else: reports, not-founds and chunks from second 100 on. */
export const laterLines: fc.Arbitrary<readonly Line[]> = fc
  .array(
    fc.tuple(fc.integer({ min: 100, max: 140 }), worker, task, state).chain(([at, ofWorker, ofTask, is]) => {
      const told = { at, worker: ofWorker, task: ofTask }
      return fc.constantFrom<Line>(found(is, told), pushed(is, { ...told, stamped: at }), missed(told), chunk('late', told))
    }),
    { maxLength: 8 },
  )
  .map(shown)
