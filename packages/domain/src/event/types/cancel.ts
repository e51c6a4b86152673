import { ownEvent } from './event-type.ts'

/** `reconciler.cancel` */
export const cancel = ownEvent('reconciler.cancel')
