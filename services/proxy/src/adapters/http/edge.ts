/** What the HTTP side works with. */
import type { AnswerHandler, PassedCall, PassedCallControl } from '@a2a-ledger/outbound'
import type { ByteBudget, CallContext, CallerHeaders, KeptBody, Recorder, WatchedCall, WitnessedPush } from '@a2a-ledger/witness/recording'
import type { Log } from '../../app/ports.ts'
import type { PushTee } from '../../app/push-tee.ts'
import type { WorkerDirectory } from '../../app/worker-directory.ts'

export interface Edge {
  readonly directory: WorkerDirectory
  /** Passes a call on. Throws where its address must not be called. */
  readonly passOn: (call: PassedCall, handler: AnswerHandler) => PassedCallControl
  readonly watch: (context: CallContext, request: KeptBody) => WatchedCall
  readonly tee: PushTee
  readonly recordPush: (push: WitnessedPush, body: KeptBody) => void
  readonly scopeOf: (headers: CallerHeaders, tenant: string | undefined) => string
  readonly recorder: Pick<Recorder, 'callRuns'>
  readonly budget: ByteBudget
  readonly log: Log
  readonly settings: EdgeSettings
  /** Workers of which it was said that they are called over gRPC as well. */
  readonly toldGrpc: Set<string>
  /** Counts a call by what became of it; `operation` and `binding` are empty where it is no A2A call. */
  readonly observed: (call: { readonly operation: string; readonly binding: string; readonly outcome: string; readonly seconds: number }) => void
  /** Is told of each stream that opens, and calls the result when it ends. */
  readonly streamOpens: () => () => void
}

export interface EdgeSettings {
  /** What others call the proxy. */
  readonly publicUrl: string
  /** Names this process in `Via`, so that a call that comes back is known. */
  readonly viaName: string
  /** After so long a silence a stream of events gets a comment, so that what lies between does not cut it; 0: never. */
  readonly keepAliveMs: number
  /** Headers of an answer that name the replica that gave it, in lower case. */
  readonly instanceHeaders: readonly string[]
  /** Where no header does, the address that answered names it. */
  readonly isInstanceByAddress: boolean
}
