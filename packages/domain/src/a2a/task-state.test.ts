import { describe, expect, test } from 'vitest'
import { parseTaskState } from './task-state.ts'

describe('spellings of a task state (F4)', () => {
  test.each([
    ['TASK_STATE_INPUT_REQUIRED', 'input-required'],
    ['input-required', 'input-required'],
    ['input_required', 'input-required'],
    ['INPUT_REQUIRED', 'input-required'],
    ['inputRequired', 'input-required'],
    ['TaskState.input_required', 'input-required'],
    ['TaskState.AuthRequired', 'auth-required'],
    ['task-state-rejected', 'rejected'],
    ['canceled', 'canceled'],
    ['Cancelled', 'canceled'],
    ['TASK_STATE_CANCELLED', 'canceled'],
    ['unknown', 'unknown'],
    ['TASK_STATE_UNSPECIFIED', 'unknown'],
    [0, 'unknown'],
    [1, 'submitted'],
    [2, 'working'],
    [3, 'completed'],
    [4, 'failed'],
    [5, 'canceled'],
    [6, 'input-required'],
    [7, 'rejected'],
    ['8', 'auth-required'],
  ])('%s is %s', (wire, state) => {
    expect(parseTaskState(wire)).toEqual({
      state,
      stateOnWire: String(wire),
      isStateUnknown: false,
    })
  })

  test.each([
    ['user-consent-required', 'user-consent-required'],
    [9, '9'],
    [-1, '-1'],
    [true, 'true'],
    ['completed!', 'completed!'],
    ['constructor', 'constructor'],
    [{ state: 'working' }, '{"state":"working"}'],
  ])('%s is unknown, kept as it stood', (wire, stateOnWire) => {
    expect(parseTaskState(wire)).toEqual({ state: 'unknown', stateOnWire, isStateUnknown: true })
  })

  test.each([[undefined], [null], ['']])('%s is absent', (wire) => {
    expect(parseTaskState(wire)).toBeUndefined()
  })
})
