import { ownEvent } from './event-type.ts'

/** `reconciler.capability` */
export const capability = ownEvent('reconciler.capability')
