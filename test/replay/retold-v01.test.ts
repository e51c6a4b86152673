/** The scenarios that have words in v0.1, told in it: the same happened, so the views say the same. */
import { describe, expect, it } from 'vitest'
import { stated } from './retold.ts'
import { asV01 } from './retold-v01.ts'
import { beyondTheDomain, isSharedThere, ownScenarios, problemsOf, sharedScenarios } from './scenario.ts'

const exceptions: Readonly<Record<string, string>> = {
  C001k: 'a client that chooses an id again means the same task',
  C119b: 'it is about bodies of which nobody knows the version',
  N04: 'messages have no ids by which one that is sent again is known',
}

const told = [...sharedScenarios, ...ownScenarios].flatMap((scenario) => {
  const other = Object.hasOwn(beyondTheDomain, scenario.id) ? undefined : asV01(stated(scenario))
  return other === undefined ? [] : [other]
})

describe.skipIf(!isSharedThere)('scenarios told in v0.1', () => {
  it('are enough to mean something', () => {
    expect(told.length).toBeGreaterThan(40)
  })

  it.each(told.filter(({ id }) => !Object.hasOwn(exceptions, id)))('$id $title', (scenario) => {
    expect(problemsOf(scenario)).toEqual([])
  })

  it.each(Object.entries(exceptions))('%s is another one told so: %s', (id) => {
    expect(told.filter((scenario) => scenario.id === id).flatMap(problemsOf)).not.toEqual([])
  })
})
