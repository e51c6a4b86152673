/**
 * The scenarios beside the repository and those in it, through the domain alone: what a change of a rule breaks is
 * seen in seconds, without a service. The services are measured by the scenarios' own runner.
 */
import { describe, expect, it } from 'vitest'
import { beyondTheDomain, isSharedThere, ownScenarios, problemsOf, sharedScenarios } from './scenario.ts'

describe('incidents that were concluded wrongly once', () => {
  it.each(ownScenarios)('$id $title', (scenario) => {
    expect(problemsOf(scenario)).toEqual([])
  })
})

describe('scenarios of ../shared/cases', () => {
  it.skipIf(!isSharedThere)('are beside the repository', () => {
    expect(sharedScenarios.length).toBeGreaterThan(0)
  })

  it.each(sharedScenarios.filter(({ id }) => !Object.hasOwn(beyondTheDomain, id)))('$id $title', (scenario) => {
    expect(problemsOf(scenario)).toEqual([])
  })

  it.skipIf(!isSharedThere).each(Object.entries(beyondTheDomain))('%s is not judged here: %s', (id) => {
    expect(sharedScenarios.map((scenario) => scenario.id)).toContain(id)
  })
})
