import { ownEvent } from './event-type.ts'

/** `reconciler.probe-step` */
export const probeStep = ownEvent('reconciler.probe-step')
