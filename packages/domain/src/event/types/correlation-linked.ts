import { linkTeaching, ownEvent } from './event-type.ts'

/** `ledger.correlation-linked` */
export const correlationLinked = ownEvent('ledger.correlation-linked', (text) => linkTeaching('link', text))
