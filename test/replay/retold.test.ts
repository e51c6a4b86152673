/** The scenarios beside the repository and those in it, told otherwise: the same happened, so the views say the same. */
import { describe, expect, it } from 'vitest'
import { asStreamBody, asV03, bare, echoed, over, polledMore, renamed, reversed, scoped, stated } from './retold.ts'
import { beyondTheDomain, isSharedThere, ownScenarios, problemsOf, sharedScenarios, type Scenario } from './scenario.ts'

const isTalk = (type: string): boolean => type === 'a2a.dispatch' || type === 'a2a.response'

/** Who tells what, by name; and the scenarios that rest on exactly what is told otherwise. */
const ways: readonly (readonly [string, (scenario: Scenario) => Scenario | undefined, Readonly<Record<string, string>>])[] = [
  ['in v0.3', asV03, {}],
  ['over HTTP+JSON', over('HTTP+JSON'), {}],
  ['over gRPC', over('GRPC'), {}],
  ['as tasks and errors, without their JSON-RPC answers', bare, {}],
  ['with every answer as the body of an event stream', asStreamBody, {}],
  ['in the names that v0.3 gave to operations', renamed, {}],
  ['under one scope', scoped, {}],
  ['with every answer told by a proxy as well', echoed(({ type }) => type === 'a2a.response', 0.01, 'proxy'), {}],
  ['with every answer told by the worker first', echoed(({ type }) => type === 'a2a.response', -0.005, 'worker'), {}],
  ['with every send told by a proxy as well', echoed(({ type }) => type === 'a2a.dispatch', 0.01, 'proxy'), {}],
  ['with sends and answers told by a proxy as well', echoed(({ type }) => isTalk(type), 0.01, 'proxy'), {}],
  ['by witnesses that poll more often', polledMore, {}],
  [
    'last first',
    reversed,
    {
      C001k: 'which task an id is depends on what was known when it came (K2)',
      C050: 'a timeline is in order of recording',
      C087b: 'a claim that came before the first send counts (K1)',
      C113: 'a send without a correlation is placed by what was known when it came (K3)',
    },
  ],
]

describe.skipIf(!isSharedThere).each(ways)('scenarios of ../shared/cases %s', (_way, retell, exceptions) => {
  const told = sharedScenarios.flatMap((scenario) => {
    const other = Object.hasOwn(beyondTheDomain, scenario.id) || Object.hasOwn(exceptions, scenario.id) ? undefined : retell(stated(scenario))
    return other === undefined ? [] : [other]
  })

  it('are enough to mean something', () => {
    expect(told.length).toBeGreaterThan(50)
  })

  it.each(told)('$id $title', (scenario) => {
    expect(problemsOf(scenario)).toEqual([])
  })

  it.each(
    ownScenarios.flatMap((scenario) => {
      const other = retell(stated(scenario))
      return other === undefined ? [] : [other]
    }),
  )('$id $title', (scenario) => {
    expect(problemsOf(scenario)).toEqual([])
  })

  it.each(Object.entries(exceptions))('%s is another one told so: %s', (id) => {
    const scenario = sharedScenarios.find((each) => each.id === id)
    expect(scenario === undefined ? undefined : problemsOf(retell(stated(scenario)) ?? scenario)).not.toEqual([])
  })
})
