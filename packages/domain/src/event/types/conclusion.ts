import { defined } from '../../a2a/defined.ts'
import { excerpt } from '../../a2a/excerpt.ts'
import type { EventType } from './event-type.ts'

/** `orchestrator.conclusion`: what the orchestrator itself concluded; never changes the view. */
export const conclusion: EventType = {
  type: 'orchestrator.conclusion',
  isWorkerRequired: false,
  isCorrelationRequired: true,
  isDataRequired: true,
  isReserved: false,
  read: (reader, root) => {
    if (root === undefined) return undefined
    const state = reader.word(root, 'state')
    if (state === undefined) reader.refuse('data_foreign', 'a conclusion says a state')
    const because = reader.text(root, 'because', 2000)
    return { kind: 'conclusion', state: excerpt(state ?? '', 256), ...defined({ because }) }
  },
}
