import { linkTeaching, ownEvent } from './event-type.ts'

/** `ledger.correlation-unlinked` */
export const correlationUnlinked = ownEvent('ledger.correlation-unlinked', (text) => linkTeaching('unlink', text))
