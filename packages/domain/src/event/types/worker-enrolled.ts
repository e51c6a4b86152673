import { enrolmentSchema } from '../enrolment.ts'
import { jsonOf, ownEvent } from './event-type.ts'

/** `reconciler.worker-enrolled` */
export const workerEnrolled = ownEvent('reconciler.worker-enrolled', (text) => {
  const mesh = enrolmentSchema.safeParse(jsonOf(text)).data?.mesh
  return mesh === undefined ? undefined : { kind: 'mesh-of-worker', mesh }
})
