/**
 * Executes re-dispatches, and cancels what lost against them, beside the settling of tasks, since a call to a worker may take long: a few at a
 * time, of one mesh one after the other, so that each sees what the one before it recorded.
 */
import { cancelLoser } from './cancel-loser.ts'
import { executeRedispatch, failureOf, type ActPorts, type Executed } from './execute-redispatch.ts'
import type { Log } from './ports.ts'

export interface Actor {
  /** The task may have something to be sent. Idempotent while it waits or is at work. */
  readonly offer: (correlationId: string, mesh: string) => void
  /** Takes nothing more, and waits for what is at work. */
  readonly stop: () => Promise<void>
}

/** Meshes that are at work at once. */
const concurrencyMax = 4

/** `onDone`: what came of each, for who counts. */
export function keepActing(ports: ActPorts & { readonly log: Log }, onDone: (done: Executed) => void = () => undefined): Actor {
  const waiting = new Map<string, string>()
  const atWork = new Map<string, Promise<void>>()
  let isStopping = false

  const act = async (correlationId: string): Promise<void> => {
    try {
      const done = await executeRedispatch(ports, correlationId)
      onDone(done)
      if (done.outcome !== 'nothing') ports.log.info({ correlationId, ...done }, 'a re-dispatch')
      const canceled = await cancelLoser(ports, correlationId)
      if (canceled.outcome !== 'nothing') ports.log.info({ correlationId, ...canceled }, 'the attempt that lost against another one')
    } catch (error) {
      ports.log.warn({ correlationId, error: failureOf(error) }, 'a re-dispatch, or the cancel of what lost against one, could not be made now')
    }
  }
  const takeNext = (): void => {
    if (isStopping) return
    for (const [correlationId, mesh] of waiting) {
      if (atWork.size >= concurrencyMax) return
      if (atWork.has(mesh)) continue
      waiting.delete(correlationId)
      atWork.set(
        mesh,
        act(correlationId).then(() => {
          atWork.delete(mesh)
          takeNext()
        }),
      )
    }
  }
  return {
    offer: (correlationId, mesh) => {
      if (!waiting.has(correlationId)) waiting.set(correlationId, mesh)
      takeNext()
    },
    stop: async () => {
      isStopping = true
      await Promise.all(atWork.values())
    },
  }
}
