/**
 * Pushes by way of the proxy: a push configuration that goes by gets an address of the proxy in place of
 * the client's, what comes there is told and passed on to where the client wanted it.
 *
 * Where the client wanted it stands in the address itself, sealed, so that nothing has to be kept and
 * every proxy with the same key can pass it on. Clients see their own address in every answer.
 */
import { isPushConfigOperation, isSend, replacePushUrls } from '@a2a-ledger/domain'
import { publicPushUrlOf, sealOf } from './public-address.ts'
import type { WorkerDirectory } from './worker-directory.ts'

/** Where a push goes on to, and the logical task that the client named. */
export interface PushTarget {
  readonly url: string
  readonly correlationId?: string
}

export interface PushSeal {
  /** Letters, digits, `-` and `_`. */
  readonly seal: (workerId: string, target: PushTarget) => string
  /** `undefined`: it was not made for this worker, with this key. */
  readonly open: (workerId: string, seal: string) => PushTarget | undefined
}

export interface PushTeePorts {
  readonly directory: Pick<WorkerDirectory, 'isTeed'>
  readonly seal: PushSeal
  readonly publicUrl: () => string
  /** What holds for workers whose enrolment does not say. */
  readonly isTeeingByDefault: boolean
  /** Whether pushes may be passed on to this address, as far as it tells without a connection. */
  readonly mayCall: (url: string) => boolean
  /** Addresses that begin so record by themselves. */
  readonly receiverUrl: string
}

export interface PushTee {
  /** The body of a call with push addresses of the proxy; `undefined`: it goes as it is. */
  readonly pointed: (call: CallBody) => string | undefined
  /** The answer to a call with the client's own push addresses; `undefined`: it goes as it is. */
  readonly pointedBack: (call: Omit<CallBody, 'correlationId'>) => string | undefined
  /** Whether the answer to this operation may hold push addresses of the proxy. */
  readonly concernsAnswerOf: (workerId: string, operation: string | undefined) => boolean
  readonly targetOf: PushSeal['open']
}

export interface CallBody {
  readonly workerId: string
  /** Absent: of a batch, or of no A2A call. */
  readonly operation: string | undefined
  readonly correlationId: string | undefined
  readonly text: string
}

/** Longer ones would not fit into the first line of a request everywhere. */
const urlLengthMax = 2048

export function createPushTee({ directory, seal, publicUrl, isTeeingByDefault, mayCall, receiverUrl }: PushTeePorts): PushTee {
  const isTeed = (workerId: string): boolean => directory.isTeed(workerId) ?? isTeeingByDefault
  const isToBePointed = (workerId: string, url: string): boolean =>
    url.length <= urlLengthMax && !url.startsWith(receiverUrl) && sealOf(publicUrl(), workerId, url) === undefined && mayCall(url)

  return {
    pointed: ({ workerId, operation, correlationId, text }) => {
      if (operation === undefined || !(isSend(operation) || isPushConfigOperation(operation)) || !isTeed(workerId)) return undefined
      return replacePushUrls(text, operation, (url) =>
        isToBePointed(workerId, url)
          ? publicPushUrlOf(publicUrl(), workerId, seal.seal(workerId, { url, ...(correlationId !== undefined && { correlationId }) }))
          : undefined,
      )
    },
    pointedBack: ({ workerId, operation, text }) =>
      operation === undefined
        ? undefined
        : replacePushUrls(text, operation, (url) => {
            const sealed = sealOf(publicUrl(), workerId, url)
            return sealed === undefined ? undefined : seal.open(workerId, sealed)?.url
          }),
    concernsAnswerOf: (workerId, operation) => isPushConfigOperation(operation) && isTeed(workerId),
    targetOf: seal.open,
  }
}
