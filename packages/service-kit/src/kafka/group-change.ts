/** What Kafka answers a member whose group changed: it joins again, and nothing is wrong. */
import { groupChanged, LeftGroup } from './stay-in-group.ts'

const types: readonly unknown[] = ['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']
/** As the client words them in its log, which has no types. */
const wordings = [
  groupChanged,
  'The group is rebalancing, so a rejoin is needed',
  'Specified group generation id is not valid',
  'The coordinator is not aware of this member',
]

/** `error` says that the group changed, or was caused by one that does. */
export function isChangeOfGroup(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.cause !== undefined) return isChangeOfGroup(error.cause)
  return error instanceof LeftGroup || ('type' in error && types.includes(error.type))
}

/** The client's own log says that the group changed; who consumes says it better. */
export function tellsChangeOfGroup({ message, error }: { readonly message: string; readonly error?: unknown }): boolean {
  const texts = [message, String(error)]
  return isChangeOfGroup(error) || wordings.some((wording) => texts.some((text) => text.includes(wording)))
}
