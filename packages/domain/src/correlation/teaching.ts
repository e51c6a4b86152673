/** What an event of this deployment teaches the correlation ladder. */
import type { ServerTask } from './lessons.ts'
import type { CorrelationRule } from './rule.ts'

export type Teaching =
  /** The worker that the event names is in this mesh from here on. */
  | { readonly kind: 'mesh-of-worker'; readonly mesh: string }
  /** The rules of a mesh from here on; none: it has no rules any more. */
  | { readonly kind: 'rules-of-mesh'; readonly mesh: string; readonly rules: readonly CorrelationRule[] }
  /** A person says that a synthetic stream is part of a logical task, or that it is not (K6). */
  | (ServerTask & { readonly kind: 'link' | 'unlink'; readonly from: string; readonly to: string })
