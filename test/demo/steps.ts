/**
 * How an orchestrator process of the demo and the story that drives it keep step: the process
 * writes one JSON line for each step it has finished, then waits for an order on its stdin. So a
 * SIGKILL hits between two known steps, and no side ever waits for a length of time.
 */
import { createInterface } from 'node:readline'

export type Order = { readonly retry: true } | { readonly answer: string } | { readonly go: true }

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

export function announce(step: string, detail: object = {}): void {
  process.stdout.write(`${JSON.stringify({ step, ...detail })}\n`)
}

/** The next order; ends the process when there is nobody left to give one. */
export async function nextOrder(): Promise<Order> {
  const line = await lines.next()
  if (line.done) process.exit(0)
  return JSON.parse(line.value) as Order
}
