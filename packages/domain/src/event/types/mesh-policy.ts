import { ownEvent } from './event-type.ts'

/** `reconciler.mesh-policy` */
export const meshPolicy = ownEvent('reconciler.mesh-policy')
