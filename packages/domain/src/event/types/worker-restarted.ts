import { defined } from '../../a2a/defined.ts'
import { observation } from './event-type.ts'

/** `a2a.worker-restarted`: a witness knows that the worker, or its `instance`, restarted. */
export const workerRestarted = observation(
  'a2a.worker-restarted',
  (reader, root, text) => {
    if (root === undefined) return text === '' ? { kind: 'restart' } : undefined
    if (root.kind !== 'object' && !root.isNull)
      reader.refuse('data_foreign', 'the data is no object')
    return { kind: 'restart', ...defined({ reason: reader.text(root, 'reason') }) }
  },
  false,
)
