/** The SDKs that workers are built on: `python-0.3` is the last line of the Python SDK that speaks only v0.3. */
export const sdks = ['js', 'python', 'python-0.3', 'go'] as const
export type Sdk = (typeof sdks)[number]

/**
 * What a test worker is told at its start. Workers on every SDK read the same JSON, so that a story
 * can swap one SDK for the other without saying anything else.
 *
 * `outputModes` and `reachableStates` are what the card promises; `asks` and `emits` are what the
 * process really does. That the two can disagree is the point: a "config reload" is a restart
 * with another `emits` under an unchanged card.
 */
export type WorkerSpec = {
  readonly sdk: Sdk
  /** The A2A version it serves; absent: 1.0, but for `python-0.3`, which knows no other than 0.3. */
  readonly protocol?: '1.0' | '0.3'
  /** Card name; also the prefix of the server task ids. */
  readonly name: string
  /** 0 takes a free port; a restart passes the port it had. */
  readonly port?: number
  readonly outputModes: readonly string[]
  /** The one skill of its card; absent: `report`. Only the JavaScript worker can have another. */
  readonly skill?: string
  /** Canonical names, declared through the task-continuity extension. */
  readonly reachableStates: readonly string[]
  /** The question that makes a task `input-required` before it completes; absent: none. */
  readonly asks?: string
  /** The media type of the artifact as it is really emitted. */
  readonly emits: string
  /** A file that the tasks are kept in; absent: in memory. The JavaScript SDK alone has a store for it. */
  readonly store?: string
  /** How long a turn takes: long enough for a client to see `working`. */
  readonly workMs?: number
  /** A file: no turn ends before it is there. Only the JavaScript worker waits for one. */
  readonly heldUntil?: string
  /** Whether it sends push notifications; only the JavaScript worker does. */
  readonly pushes?: true
  /** The order of the interfaces in the card: the first one is the one clients prefer. */
  readonly bindings?: readonly ('JSONRPC' | 'HTTP+JSON')[]
}

/** The data-only extension that declares reachable states and carries the correlation ID. */
export const continuityExtension = 'urn:a2a-ledger:task-continuity:v1'
