import { readDispatch } from '../../a2a/dispatch.ts'
import { readDispatchedConfigs } from '../../a2a/push-config.ts'
import { observation } from './event-type.ts'

/** `a2a.dispatch`: a SendMessageRequest as the orchestrator sends it, before the answer. */
export const dispatch = observation('a2a.dispatch', (reader, root) => {
  if (root === undefined) return undefined
  const draft = readDispatch(reader, root)
  reader.pushConfigs.push(...readDispatchedConfigs(root))
  return draft
})
