/**
 * What the proxy's use cases need of the outside.
 *
 * The ledger tells which workers are enrolled, the disk keeps what is known of them; time comes in
 * from `main.ts`. What recording needs is a port of its own package.
 */

/** How to reach one worker. */
export interface WorkerAddress {
  readonly url: string
  readonly cardUrl?: string
}

export interface EnrolmentSlice {
  readonly ledgerId: string
  readonly epoch: number
  /** Everything up to here was looked at. */
  readonly head: number
  /** The interface of each enrolment that names one, in order. */
  readonly addresses: readonly { readonly workerId: string; readonly address: WorkerAddress }[]
  /** What enrolments say of whether pushes go by way of the proxy, in order. */
  readonly tees: readonly { readonly workerId: string; readonly isTeed: boolean }[]
}

export interface EnrolmentReader {
  /**
   * Enrolments after `position` of the ledger that is there now.
   *
   * Errors: throws `ledger_unavailable`.
   */
  readonly after: (position: number) => Promise<EnrolmentSlice>
  /** The ledger that is there now. Errors: throws `ledger_unavailable`. */
  readonly identity: () => Promise<Pick<EnrolmentSlice, 'ledgerId' | 'epoch' | 'head'>>
}

/** What is known of workers, as it is kept on the disk. */
export interface KnownWorkers {
  readonly ledgerId: string
  readonly epoch: number
  readonly position: number
  readonly workers: ReadonlyMap<string, WorkerAddress>
  /** Whether a worker's pushes go by way of the proxy, where its enrolment says so. */
  readonly tees: ReadonlyMap<string, boolean>
  /** Addresses that a worker's card names beside the enrolled one, by the key in their public path. */
  readonly interfaces: ReadonlyMap<string, ReadonlyMap<string, string>>
}

export interface WorkerStore {
  /** Absent: nothing usable was kept. */
  readonly load: () => Promise<KnownWorkers | undefined>
  readonly save: (workers: KnownWorkers) => Promise<void>
}

export interface Timer {
  readonly after: (ms: number) => Promise<void>
  /** Milliseconds that only ever grow. */
  readonly elapsedMs: () => number
}

export interface Log {
  readonly warn: (fields: object, message: string) => void
  readonly error: (fields: object, message: string) => void
}
