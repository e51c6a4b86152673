/** One broker that a test may kill. Every action may be repeated; the next one waits for it. */
export type KafkaBroker = {
  readonly version: string
  readonly brokers: readonly string[]
  /** After `kill`: the same broker on the same port, with the data it had. Resolves when it answers. */
  start(): Promise<void>
  /** SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>
  /** Ends it, for good, with its data. */
  remove(): Promise<void>
}
