/** Bodies with an end: so many bytes in all, or, in a stream of events, in one event. */
import { OutboundError } from './outbound-error.ts'

export interface BodyBounds {
  /** Of the decoded body; in a stream of events, of one event. */
  readonly bytesMax: number
  readonly isEventStream: boolean
  /** Ends the body with its reason: the client underneath hears it no more once memory was collected. */
  readonly signal: AbortSignal
  /** Called once, however the body ends. */
  readonly ended: () => void
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The same bytes, chunk by chunk as they come; an error once there are too many. */
export function boundBody(body: ReadableStream<Uint8Array>, bounds: BodyBounds): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const count = bounds.isEventStream ? eventBytes() : allBytes()
  const { signal } = bounds
  let onAbort: () => void = () => undefined
  const ended = (): void => {
    signal.removeEventListener('abort', onAbort)
    bounds.ended()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          ended()
          controller.error(signal.reason)
          void reader.cancel(signal.reason).catch(() => undefined) // it may be what failed
        }
        if (signal.aborted) onAbort()
        else signal.addEventListener('abort', onAbort)
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (signal.aborted) return
          if (done) {
            ended()
            controller.close()
            return
          }
          if (count(value) > bounds.bytesMax) throw tooLarge(bounds)
          controller.enqueue(value)
        } catch (error) {
          ended()
          controller.error(error)
          await reader.cancel(error).catch(() => undefined) // it may be what failed
        }
      },
      async cancel(reason) {
        ended()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 }, // nothing is read ahead of who reads here
  )
}

const tooLarge = ({ isEventStream, bytesMax }: BodyBounds): OutboundError =>
  new OutboundError('body_too_large', `${isEventStream ? 'One event' : 'The body'} is over ${bytesMax} bytes.`)

type Count = (chunk: Uint8Array) => number

function allBytes(): Count {
  let total = 0
  return (chunk) => (total += chunk.length)
}

/** The most bytes that any event had so far which this chunk belongs to; a blank line ends an event. */
function eventBytes(): Count {
  let pending = 0
  let isLineEmpty = true
  let before = 0
  return (chunk) => {
    let most = 0
    for (const byte of chunk) {
      pending += 1
      const isPair = byte === lineFeed && before === carriageReturn // one line end of two characters
      if (isPair) {
        before = byte
        continue
      }
      if (byte === lineFeed || byte === carriageReturn) {
        if (isLineEmpty) pending = 0
        isLineEmpty = true
      } else {
        isLineEmpty = false
      }
      before = byte
      if (pending > most) most = pending
    }
    return most
  }
}
