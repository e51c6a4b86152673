import { ownEvent } from './event-type.ts'

/** `reconciler.dispatch-settled` */
export const dispatchSettled = ownEvent('reconciler.dispatch-settled')
