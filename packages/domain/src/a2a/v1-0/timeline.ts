/**
 * `Task.timeline` of A2A v1.1 (§3.2.8, §4.1.8): entries that hold a `message` of the client or a `status` of the
 * agent, in order of `generation`. It may lack its beginning (`timelineLength`), and entries of a kind that we do not
 * know are to be skipped.
 */
import type { JsonValue } from '../../json/document.ts'
import type { TaskState } from '../../task/state.ts'
import type { Reader } from '../reader.ts'
import type { TimelineReading } from '../reading.ts'
import { parseTaskState } from '../task-state.ts'
import { generationOf } from './generation.ts'

/** States that are kept of one timeline: the newest. */
const statesMax = 50

/** The states that the worker says its task went through; absent where it tells of none. */
export const readTimeline = (reader: Reader, task: JsonValue): TimelineReading | undefined => {
  const states: TaskState[] = []
  let isWhole: boolean | undefined
  let isUnordered = false
  let latest = 0
  for (const entry of reader.objects(task, 'timeline')) {
    const status = reader.member(entry, 'status')
    const generation = generationOf(entry) ?? generationOf(status ?? reader.member(entry, 'message') ?? entry)
    isWhole ??= generation === 1
    if (generation !== undefined) {
      isUnordered ||= generation < latest
      latest = generation
    }
    const state = stateOf(status?.kind === 'object' ? reader.member(status, 'state') : (status ?? reader.member(entry, 'state')))
    if (state !== undefined && state !== states.at(-1)) states.push(state)
  }
  if (states.length === 0) return undefined
  return {
    states: states.slice(-statesMax),
    ...(isWhole === true && states.length <= statesMax && { isWhole: true as const }),
    ...(isUnordered && { isUnordered: true as const }),
  }
}

/** A state that we know; the entry is told apart by nothing else. */
const stateOf = (value: JsonValue | undefined): TaskState | undefined => {
  const state = parseTaskState(value?.number ?? value?.string)?.state
  return state === 'unknown' ? undefined : state
}
