import { cardOf } from '../../a2a/card/card.ts'
import { isHtml, readError } from '../../a2a/error/classify.ts'
import { observation } from './event-type.ts'

/**
 * `a2a.agent-card`: an AgentCard, bare or as a JSON-RPC result; `time` is when it was fetched. An error is
 * no card, and a 304 says nothing new.
 */
export const agentCard = observation('a2a.agent-card', (reader, root, text) => {
  const { httpStatus = 200 } = reader.context
  if (httpStatus === 304) return { kind: 'nothing' }
  if (httpStatus >= 400 || (root === undefined && isHtml(text))) return readError(reader, root, text)
  if (root === undefined) return undefined
  const isRpc = root.get('jsonrpc') !== undefined
  if (isRpc && root.get('error')?.isNull === false) return readError(reader, root, text)
  const result = root.get('result')
  const card = isRpc && result !== undefined ? result : root
  if (card.kind === 'object') return cardOf(reader, card)
  reader.refuse('data_foreign', `a ${card.kind} is no agent card`)
  return undefined
})
