/**
 * Correlation IDs that the ledger makes (K4). They begin with `~`, which no client may use, and
 * their parts are percent-encoded, so no two tasks share one.
 */

/** The stream of facts about this deployment rather than one worker (mesh policies). */
export const deploymentCorrelationId = '~'

/** True for an ID that only the ledger may give. */
export const isReservedCorrelationId = (correlationId: string): boolean => correlationId.startsWith('~')

/** `%`, `/` and `~` encoded, everything else as it is. */
export const encodeSyntheticPart = (part: string): string =>
  part.replace(/[%/~]/g, (character) => (character === '%' ? '%25' : character === '/' ? '%2F' : '%7E'))

/** `~<workerId>`: the stream of facts about one worker (K4). */
export const workerCorrelationId = (workerId: string): string => `~${encodeSyntheticPart(workerId)}`

/** `~<workerId>/<taskId>`: the stream of a server task whose logical task nobody knows (rung 5). */
export const syntheticCorrelationId = (workerId: string, taskId: string): string =>
  `${workerCorrelationId(workerId)}/${encodeSyntheticPart(taskId)}`

/** The server task of a synthetic ID; `undefined` for any other ID. */
export const serverTaskOf = (
  correlationId: string,
): { readonly workerId: string; readonly taskId: string } | undefined => {
  const [, worker, task] = /^~([^/]+)\/([^/]+)$/.exec(correlationId) ?? []
  if (worker === undefined || task === undefined) return undefined
  const [workerId, taskId] = [decodePart(worker), decodePart(task)]
  return syntheticCorrelationId(workerId, taskId) === correlationId ? { workerId, taskId } : undefined
}

const decodePart = (part: string): string =>
  part.replace(/%2F|%7E|%25/g, (code) => (code === '%2F' ? '/' : code === '%7E' ? '~' : '%'))
