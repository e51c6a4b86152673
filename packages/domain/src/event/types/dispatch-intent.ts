import { ownEvent } from './event-type.ts'

/** `reconciler.dispatch-intent` */
export const dispatchIntent = ownEvent('reconciler.dispatch-intent')
