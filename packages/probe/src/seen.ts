/** What readings say of a canary, taken together. */
import { intersectModes, isModeIn, type ErrorName, type ErrorReading, type ProbeLearned, type Reading, type TaskState } from '@a2a-ledger/domain'
import type { CallResult } from './worker-client.ts'

export interface Seen {
  readonly taskId?: string
  readonly contextId?: string
  /** The last one. */
  readonly state?: TaskState
  /** All of them, in order of first sight. */
  readonly states: readonly TaskState[]
  /** Of artifacts, and of a message that is the whole answer. */
  readonly emitted: readonly string[]
  readonly isMessage: boolean
}

export const nothingSeen: Seen = { states: [], emitted: [], isMessage: false }

export const see = (seen: Seen, readings: readonly Reading[]): Seen => readings.reduce(seeOne, seen)

const seeOne = (seen: Seen, reading: Reading): Seen => {
  switch (reading.kind) {
    case 'task':
    case 'status-update': {
      const { status } = reading
      const state = status.isStateUnknown ? undefined : status.state
      const pieces = reading.kind === 'task' ? reading.artifacts.flatMap(({ parts }) => parts) : []
      return {
        ...seen,
        ...idsOf(reading),
        ...(state !== undefined && { state, states: [...new Set([...seen.states, state])] }),
        emitted: [...new Set([...seen.emitted, ...pieces.map(({ mediaType }) => mediaType)])],
      }
    }
    case 'artifact-update':
      return { ...seen, ...idsOf(reading), emitted: [...new Set([...seen.emitted, ...reading.artifact.parts.map(({ mediaType }) => mediaType)])] }
    case 'message':
      return seen.taskId === undefined
        ? { ...seen, isMessage: true, emitted: [...new Set([...seen.emitted, ...reading.message.parts.map(({ mediaType }) => mediaType)])] }
        : seen
    case 'task-list':
    case 'error':
    case 'agent-card':
    case 'dispatch':
    case 'no-answer':
    case 'stream-ended':
    case 'restart':
    case 'conclusion':
    case 'nothing':
      return seen
  }
}

const idsOf = ({ taskId, contextId }: { readonly taskId?: string; readonly contextId?: string }) => ({
  ...(taskId !== undefined && { taskId }),
  ...(contextId !== undefined && { contextId }),
})

/** The media types held against what was negotiated: what the client accepts of what the card offers (F19). */
export const emittedOf = ({ emitted }: Seen, card: ProbeLearned['card']): Pick<ProbeLearned, 'mediaTypes' | 'strayMediaTypes'> => {
  if (card === undefined || emitted.length === 0) return {}
  const negotiated = card.canaryModes === undefined ? card.mediaTypes : intersectModes(card.canaryModes, card.mediaTypes)
  const isAgreed = (mediaType: string): boolean => negotiated.length === 0 || isModeIn(mediaType, negotiated)
  return { mediaTypes: emitted.filter(isAgreed).slice(0, 50), strayMediaTypes: emitted.filter((each) => !isAgreed(each)).slice(0, 50) }
}

/** A sentence about media types outside of the agreement; nothing where there is none. */
export const strayDetail = ({ strayMediaTypes = [] }: Pick<ProbeLearned, 'strayMediaTypes'>): string | undefined =>
  strayMediaTypes.length === 0 ? undefined : `it emitted ${strayMediaTypes.join(', ')}, which was not negotiated`

/** True for a TaskNotFound in a form that says so (F6). */
export const isNotFound = (error: ErrorReading): boolean => error.name === 'TaskNotFound' && error.evidence === 'strong'

const turningAway: ReadonlySet<ErrorName> = new Set(['Unauthenticated', 'PermissionDenied', 'Unavailable', 'Timeout'])

/** Nothing was said of what was asked: there was no answer, or the question was turned away, by the worker or by what stands before it. */
export const isUnheard = (result: CallResult): boolean =>
  result.outcome === 'none' || (result.outcome === 'error' && turningAway.has(result.error.name))

/** What came of a call, in words. */
export const wordsOf = (result: CallResult): string => {
  switch (result.outcome) {
    case 'read': {
      const { state, isMessage } = see(nothingSeen, result.readings)
      return state ?? (isMessage ? 'a message' : `an answer (${result.readings.map(({ kind }) => kind).join(', ')})`)
    }
    case 'error':
      return `${result.error.name}${result.error.code === undefined ? '' : ` (${result.error.code})`}`
    case 'unreadable':
      return `nothing that is A2A (${result.detail})`
    case 'none':
      return `no answer (${result.reason})`
  }
}
