import { ownEvent } from './event-type.ts'

/** `reconciler.worker-enrolled` */
export const workerEnrolled = ownEvent('reconciler.worker-enrolled')
