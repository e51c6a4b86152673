/** Scenarios: what witnesses report, in order, and what the views must say then; through the domain alone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { EventAttributes } from '@a2a-ledger/domain'
import { mismatch } from './matches.ts'
import { createMemoryMesh, type MemoryMesh } from './memory-mesh.ts'

export interface Scenario {
  readonly id: string
  readonly title: string
  readonly steps: readonly Step[]
}

/** The attributes that have a name of their own. */
type NamedAttributes = { readonly [Name in keyof EventAttributes as string extends Name ? never : Name]?: EventAttributes[Name] }

/** One event of a scenario: `t` in seconds, else its running number; `witness` is the orchestrator unless said. */
export interface Observed extends NamedAttributes {
  readonly type: string
  readonly t?: number
  readonly witness?: string
  readonly data: unknown
}

type View = 'task' | 'rootCause' | 'timeline' | 'worker'

export interface Step extends Partial<Readonly<Record<View, string>>> {
  readonly observe?: readonly Observed[]
  readonly enrol?: { readonly workerId: string }
  readonly push?: Parameters<MemoryMesh['push']>[0]
  readonly status?: number
  readonly match?: unknown
}

const startMs = Date.parse('2026-11-01T10:00:00Z')
/** The history is told a month later: grace and silence have run. */
const toldMs = startMs + 30 * 86_400_000

/** Every expectation that does not hold; steps that need HTTP are passed over. */
export const problemsOf = ({ id, steps }: Scenario): readonly string[] => {
  const mesh = createMemoryMesh(toldMs)
  let count = 0
  return steps.flatMap((step, index) => {
    for (const { t, witness = 'orchestrator', data, ...attributes } of step.observe ?? []) {
      count += 1
      mesh.observe(
        {
          specversion: '1.0',
          id: `${id}-${count}`,
          source: `urn:scenario:${id}:${witness}`,
          time: new Date(startMs + (t ?? count) * 1_000).toISOString(),
          ...attributes,
        },
        data,
      )
    }
    if (step.enrol !== undefined) {
      const { workerId, ...policy } = step.enrol
      mesh.enrol(workerId, policy)
    }
    const isAnswered = step.status === undefined || step.status < 300
    if (step.push !== undefined && isAnswered) mesh.push(step.push)
    if (step.match === undefined || !isAnswered) return []
    return (['task', 'rootCause', 'timeline', 'worker'] as const).flatMap((view) => {
      const subject = step[view]
      const problem = subject === undefined ? undefined : mismatch(step.match, mesh[view](subject))
      return problem === undefined ? [] : [`step ${index + 1}, ${view} of ${subject}: ${problem}`]
    })
  })
}

const folder = new URL('../../../shared/cases/scenarios/', import.meta.url)

/** True where the scenarios are beside the repository. */
export const isSharedThere = existsSync(folder)

/** In order of their names. */
const scenariosIn = (from: URL): readonly Scenario[] =>
  readdirSync(from)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name): Scenario => JSON.parse(readFileSync(new URL(name, from), 'utf8')))

/** The scenarios beside the repository. */
export const sharedScenarios: readonly Scenario[] = isSharedThere ? scenariosIn(folder) : []

/** Incidents that were concluded wrongly once. */
export const ownScenarios: readonly Scenario[] = scenariosIn(new URL('scenarios/', import.meta.url))

/** Scenarios whose expectations rest on what only the services do. */
export const beyondTheDomain: Readonly<Record<string, string>> = {
  C002c: 'the observation is made by asking not-found over HTTP',
  C103b: 'the observations are made by asking what-now over HTTP',
  C051b: 'a conflict is told by the keys of the ledger',
}
