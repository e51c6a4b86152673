/** 16-byte hashes of caller text, which can be longer than a b-tree entry (L3). */
import { createHash } from 'node:crypto'

const keyOf = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16)

export const streamKey = keyOf
export const workerKey = keyOf
export const taskKey = keyOf
export const meshKey = keyOf
export const traceKey = keyOf
export const sourceKey = keyOf
export const markKey = keyOf
export const evidenceKey = keyOf
export const contentKeyHash = keyOf
export const eventKey = keyOf

/** One server task at one worker. */
export const attemptKey = (workerId: string, taskId: string): Buffer => keyOf(JSON.stringify([workerId, taskId]))

/** One send, by its position, or one server task that answered. */
export const exchangeKey = (taskId: string | undefined, position: number): Buffer =>
  keyOf(JSON.stringify(taskId === undefined ? ['at', position] : ['task', taskId]))

/** One probe of one worker. */
export const probeKey = (workerId: string, probeId: string): Buffer => keyOf(JSON.stringify([workerId, probeId]))

/** By which route a worker answered (F7). */
export const routeKey = (binding: string | undefined, scope: string | undefined): Buffer =>
  keyOf(JSON.stringify([binding ?? null, scope ?? null]))

export const noKey = Buffer.alloc(0)
