import { meshPolicyDataSchema } from '../mesh-policy.ts'
import { jsonOf, ownEvent } from './event-type.ts'

/** `reconciler.mesh-policy` */
export const meshPolicy = ownEvent('reconciler.mesh-policy', (text) => {
  const { mesh, correlation } = meshPolicyDataSchema.safeParse(jsonOf(text)).data ?? {}
  return mesh === undefined || correlation === undefined ? undefined : { kind: 'rules-of-mesh', mesh, rules: correlation }
})
