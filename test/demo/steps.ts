/**
 * How an orchestrator process of the demo and the story that drives it keep step: the process
 * writes one JSON line for each step it has finished, then waits for an order on its stdin. So a
 * SIGKILL hits between two known steps, and no side ever waits for a length of time.
 */
import { createInterface } from 'node:readline'

import type { NaiveNotes } from './notes.ts'
import type { Verdict } from './reconciler-client.ts'

/** Each step and what it tells. The naive orchestrator has `concluded` and `store` of its own. */
export type Steps = {
  asked: { readonly taskId: string; readonly question: string }
  concluded: object
  store: { readonly notes: NaiveNotes }
  looked: { readonly verdict: Verdict | undefined }
  retried: { readonly taskId: string; readonly mediaTypes: readonly string[] }
  waiting: { readonly retryAfterMs: number }
  verdict: { readonly verdict: Verdict | undefined }
  done: { readonly workerId: string; readonly taskId: string; readonly state: string }
}
export type Step = { [Name in keyof Steps]: { readonly step: Name } & Steps[Name] }[keyof Steps]

export type Order = { readonly retry: true } | { readonly answer: string } | { readonly go: true }

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

export function announce<Name extends keyof Steps>(step: Name, detail: Steps[Name]): void {
  process.stdout.write(`${JSON.stringify({ step, ...detail })}\n`)
}

/** The next order; ends the process when there is nobody left to give one. */
export async function nextOrder(): Promise<Order> {
  const line = await lines.next()
  if (line.done) process.exit(0)
  return JSON.parse(line.value) as Order
}
