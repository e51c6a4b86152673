import { ownEvent } from './event-type.ts'

/** `ledger.correlation-moved` */
export const correlationMoved = ownEvent('ledger.correlation-moved')
