/** The part of a reading that the API shows (contract §3). */
import type { Canonical } from './canonical.ts'
import { defined } from './defined.ts'
import type { PartReading, Reading } from './reading.ts'
import { parseTaskState } from './task-state.ts'

const mediaTypesOf = (parts: readonly PartReading[]) => {
  const ofParts = parts.filter((part) => part.content.kind !== 'none' || !part.mediaTypeImplied)
  const list = (isImplied: boolean): readonly string[] | undefined => {
    const types = ofParts
      .filter((part) => part.mediaTypeImplied === isImplied)
      .map((part) => part.mediaType)
    return types.length === 0 ? undefined : [...new Set(types)]
  }
  return defined({ mediaTypes: list(false), mediaTypesImplied: list(true) })
}

const shown = (reading: Reading): Omit<Canonical, 'kind'> => {
  switch (reading.kind) {
    case 'task':
    case 'status-update': {
      const { taskId, contextId, status } = reading
      const parts = reading.kind === 'task' ? reading.artifacts.flatMap((each) => each.parts) : []
      return {
        ...defined({ taskId, contextId, state: status.state, stateOnWire: status.stateOnWire }),
        ...mediaTypesOf(parts),
      }
    }
    case 'artifact-update': {
      const { taskId, contextId } = reading
      return { ...defined({ taskId, contextId }), ...mediaTypesOf(reading.artifact.parts) }
    }
    case 'message':
    case 'dispatch': {
      const { taskId, contextId, messageId, parts } = reading.message
      const types = reading.kind === 'message' ? mediaTypesOf(parts) : {}
      return { ...defined({ taskId, contextId, messageId }), ...types }
    }
    case 'task-list':
      return { tasks: reading.items.map(({ reading: item }) => listed(item)) }
    case 'error': {
      const { name, codeSpace, code, evidence } = reading.error
      const error = { name, codeSpace, ...defined({ code }), evidence }
      return { ...defined({ taskId: reading.taskId }), error }
    }
    case 'agent-card':
      return reading.card.missing.length === 0 ? {} : { missing: reading.card.missing }
    case 'conclusion': {
      const parsed = parseTaskState(reading.state)
      return parsed === undefined || parsed.isStateUnknown ? {} : { state: parsed.state }
    }
    case 'no-answer':
    case 'stream-ended':
    case 'restart':
    case 'nothing':
      return {}
  }
}

/** One entry of a list: what it says about a task, or `{}` where it says nothing. */
const listed = (item: Reading): NonNullable<Canonical['tasks']>[number] => {
  const taskId = 'taskId' in item ? item.taskId : undefined
  const state = 'status' in item ? item.status.state : undefined
  return defined({ taskId, state })
}

/** Shape: absent fields are left out, empty lists too. */
export const canonicalOf = (reading: Reading): Canonical => ({
  kind: reading.kind,
  ...defined({ protocolVersion: reading.protocolVersion }),
  ...shown(reading),
  ...(reading.notes.length === 0 ? {} : { notes: reading.notes }),
})
