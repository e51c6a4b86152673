import { ownEvent } from './event-type.ts'

/** `reconciler.verdict-approved` */
export const verdictApproved = ownEvent('reconciler.verdict-approved')
