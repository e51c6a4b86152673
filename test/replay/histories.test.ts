/**
 * Recorded histories and the views they gave. A view that comes out otherwise is a change in what a
 * fold means: either it is a fault, or `foldVersion` and the recorded view change with it. To record
 * a view anew, delete its file and run this test.
 */
import { readFileSync, readdirSync } from 'node:fs'
import type { EventAttributes } from '@a2a-ledger/domain'
import { describe, expect, it } from 'vitest'
import { createMemoryMesh } from './memory-mesh.ts'

const folder = new URL('histories/', import.meta.url)

interface History {
  readonly title: string
  readonly workers?: Readonly<Record<string, object>>
  readonly events: readonly (Partial<EventAttributes> & { readonly type: string; readonly time: string; readonly data: unknown })[]
}

/** Three hours after the first event, so that grace has run and silence has not. */
const toldAfterMs = 3 * 3_600_000

/** The view and the root cause of every logical task, the view of every worker. */
const viewsOf = ({ workers = {}, events }: History): string => {
  const mesh = createMemoryMesh(Date.parse(events[0]?.time ?? '') + toldAfterMs)
  for (const [workerId, policy] of Object.entries(workers)) mesh.enrol(workerId, policy)
  for (const [index, { data, ...attributes }] of events.entries()) {
    mesh.observe({ specversion: '1.0', id: `e-${index + 1}`, source: 'orchestrator', ...attributes }, data)
    mesh.settle()
  }
  const correlationIds = [...new Set(events.flatMap(({ correlationid }) => correlationid ?? []))]
  const workerIds = [...new Set(events.flatMap(({ workerid }) => workerid ?? []))]
  const views = {
    tasks: correlationIds.map((id) => ({ view: mesh.task(id), rootCause: mesh.rootCause(id) })),
    workers: workerIds.map((id) => mesh.worker(id)),
  }
  return `${JSON.stringify(views, null, 2)}\n`
}

const names = readdirSync(folder).filter((name) => name.endsWith('.history.json'))

describe('recorded histories', () => {
  it.each(names)('%s gives the view it gave when it was recorded', async (name) => {
    const history: History = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
    const recorded = new URL(name.replace('.history.', '.view.'), folder).pathname
    await expect(viewsOf(history)).toMatchFileSnapshot(recorded)
  })
})
