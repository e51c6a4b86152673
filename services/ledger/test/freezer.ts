/** Stops a process, as far as its ports can tell, at one of its calls, for as long as a test wants. */
export interface Freezer {
  /** The port, with every call of it a place to stop at: `<name>.<method>`. */
  readonly watch: <Port extends object>(name: string, port: Port) => Port
  /** The next such call blocks before it is made, or with its answer; resolves when it does. */
  readonly freezeAt: (call: string, side: Side) => Promise<void>
  /** What is blocked goes on. */
  readonly thaw: () => void
}

export type Side = 'before' | 'after'

type Call = (...inputs: readonly unknown[]) => Promise<unknown>

export function createFreezer(): Freezer {
  let planned: { readonly at: string; readonly reached: () => void } | undefined
  let thaw: () => void = () => undefined
  const pass = async (at: string): Promise<void> => {
    if (planned?.at !== at) return
    const { reached } = planned
    planned = undefined
    const thawed = new Promise<void>((resolve) => (thaw = resolve))
    reached()
    await thawed
  }
  return {
    watch: (name, port) => {
      const watched = Object.entries(port).map(([method, call]: readonly [string, Call]) => {
        const at = `${name}.${method}`
        const frozen: Call = async (...inputs) => {
          await pass(`before ${at}`)
          const answer = await call(...inputs)
          await pass(`after ${at}`)
          return answer
        }
        return [method, frozen] as const
      })
      return Object.fromEntries(watched) as typeof port
    },
    freezeAt: (call, side) => new Promise((resolve) => (planned = { at: `${side} ${call}`, reached: resolve })),
    thaw: () => thaw(),
  }
}
