import { ownEvent } from './event-type.ts'

/** `ledger.gap` */
export const gap = ownEvent('ledger.gap')
