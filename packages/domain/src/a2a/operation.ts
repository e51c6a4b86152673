/** Names of operations: those of A2A v1.0 (contract §2) and the methods of older versions. */

const legacyNames: Readonly<Record<string, string>> = {
  'message/send': 'SendMessage',
  'tasks/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/sendSubscribe': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/list': 'ListTasks',
  'tasks/cancel': 'CancelTask',
  'tasks/resubscribe': 'SubscribeToTask',
  'tasks/subscribe': 'SubscribeToTask',
  TaskSubscription: 'SubscribeToTask',
  ListTask: 'ListTasks',
  GetAuthenticatedExtendedCard: 'GetExtendedAgentCard',
  'agent/getAuthenticatedExtendedCard': 'GetExtendedAgentCard',
  'agent/authenticatedExtendedCard': 'GetExtendedAgentCard',
}

/** The v1.0 name of an operation; an unknown one keeps its name. */
export const operationOf = (name: string): string => legacyNames[name] ?? name

/** True for the methods whose request is a message that is sent. */
export const isSend = (operation: string | undefined): boolean =>
  operation === 'SendMessage' || operation === 'SendStreamingMessage'

/** True for every operation on push configurations, of any version. */
export const isPushConfigOperation = (operation: string | undefined): boolean =>
  /push_?notification/i.test(operation ?? '')

/** True for operations whose good answer has no content. */
export const isVoidOperation = (operation: string | undefined): boolean =>
  /^delete|\/delete$/i.test(operation ?? '')

/** True for the two operations that answer an agent card. */
export const isCardOperation = (operation: string | undefined): boolean =>
  operation === 'GetAgentCard' || operation === 'GetExtendedAgentCard'
