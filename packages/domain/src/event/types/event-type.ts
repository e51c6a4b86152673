/** What the contract says about one type of event (contract §2). */
import type { Draft, Reader } from '../../a2a/reader.ts'
import { isReservedCorrelationId, syntheticCorrelationId } from '../../correlation/correlation-id.ts'
import type { Teaching } from '../../correlation/teaching.ts'
import type { JsonValue } from '../../json/document.ts'
import { linkDataSchema } from '../link.ts'

export interface EventType {
  readonly type: string
  /** True where the envelope must name the worker. */
  readonly isWorkerRequired: boolean
  /** True where the envelope must name the logical task. */
  readonly isCorrelationRequired: boolean
  readonly isDataRequired: boolean
  /** True for what the ledger and the reconciler alone write: from outside it is quarantined. */
  readonly isReserved: boolean
  /**
   * Reads the data: `root` when it is JSON, the received text in any case. `undefined` when it
   * cannot be read as this type; a refusal on the reader says why.
   */
  readonly read: (reader: Reader, root: JsonValue | undefined, text: string) => Draft | undefined
}

/** An A2A observation: what most types have in common. */
export const observation = (
  type: string,
  read: EventType['read'],
  isDataRequired = true,
): EventType => ({
  type,
  isWorkerRequired: true,
  isCorrelationRequired: false,
  isDataRequired,
  isReserved: false,
  read,
})

/**
 * An event of our own: its data has a schema of its own and says nothing in A2A's words. `teachingIn`
 * reads what the correlation ladder learns of it.
 */
export const ownEvent = (type: string, teachingIn: (text: string) => Teaching | undefined = () => undefined): EventType => ({
  type,
  isWorkerRequired: false,
  isCorrelationRequired: false,
  isDataRequired: true,
  isReserved: true,
  read: (_reader, _root, text) => {
    const teaching = teachingIn(text)
    return { kind: 'nothing', ...(teaching !== undefined && { teaching }) }
  },
})

/** What a person says of a link; nothing where it is none that K6 allows. */
export const linkTeaching = (kind: 'link' | 'unlink', text: string): Teaching | undefined => {
  const { data } = linkDataSchema.safeParse(jsonOf(text))
  if (data?.workerId === undefined || data.taskId === undefined) return undefined
  const { from, to, workerId, taskId } = data
  const isAllowed = from === syntheticCorrelationId(workerId, taskId) && !isReservedCorrelationId(to)
  return isAllowed ? { kind, from, to, workerId, taskId } : undefined
}

/** The value of a JSON text; `undefined` when it is none. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
