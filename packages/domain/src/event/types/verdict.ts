import { ownEvent } from './event-type.ts'

/** `reconciler.verdict` */
export const verdict = ownEvent('reconciler.verdict')
