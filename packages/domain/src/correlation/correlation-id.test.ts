import { expect, test } from 'vitest'
import { isReservedCorrelationId, serverTaskOf, syntheticCorrelationId, workerCorrelationId } from './correlation-id.ts'

test.each([
  ['w', 't', '~w/t'],
  ['w/1', 't', '~w%2F1/t'],
  ['w', '1/t', '~w/1%2Ft'],
  ['w', '~50%', '~w/%7E50%25'],
  ['~w', 't', '~%7Ew/t'],
  ['w', 'Ünïcode 🙂', '~w/Ünïcode 🙂'],
])('K4: worker %j and task %j make %j', (workerId, taskId, correlationId) => {
  expect(syntheticCorrelationId(workerId, taskId)).toBe(correlationId)
  expect(serverTaskOf(correlationId)).toEqual({ workerId, taskId })
})

test.each(['order-42', '~', '~w', '~w/', '~/t', '~w/t/u', '~w/%7', '~w/a~b', 'w/t'])('K4: %j names no server task', (correlationId) => {
  expect(serverTaskOf(correlationId)).toBeUndefined()
})

test('K4: facts about a worker live in a stream of their own', () => {
  expect(workerCorrelationId('w/1')).toBe('~w%2F1')
})

test.each([
  ['~', true],
  ['~w/t', true],
  ['order-42', false],
  ['a~b', false],
])('K4: %j is reserved: %j', (correlationId, isReserved) => {
  expect(isReservedCorrelationId(correlationId)).toBe(isReserved)
})
