import { describe, expect, it } from 'vitest'
import { checkEmissions, negotiatedAt } from '../capability/emission.ts'
import { advertisedModesOf, skillOf } from '../capability/knowledge.ts'
import { answered, card, chunk, enrolled, inputOf, messaged, ms, sent, taskAfter, type Line } from '../testing/history.ts'
import type { CardFact } from '../fact/fact.ts'
import { intersectModes, isModeIn } from './negotiate.ts'

describe('F19 sets of modes', () => {
  it.each<[string, string, readonly string[], boolean]>([
    ['F19 the type itself', 'text/plain', ['text/plain'], true],
    ['F19 case does not matter', 'Text/PLAIN', ['text/plain'], true],
    ['F19 parameters are apart', 'text/plain; charset=utf-8', ['text/plain;format=flowed'], true],
    ['F19 another subtype is another type', 'text/markdown', ['text/plain'], false],
    ['F19 text/* covers its subtypes', 'text/markdown', ['text/*'], true],
    ['F19 text/* covers no other type', 'application/json', ['text/*'], false],
    ['F19 */* covers everything', 'image/png', ['*/*'], true],
    ['F19 one of several is enough', 'image/png', ['text/*', 'image/png'], true],
    ['F19 nothing is in the empty set', 'text/plain', [], false],
    ['F19 a suffix is not its base', 'application/ld+json', ['application/json'], false],
  ])('%s', (_fact, mode, ranges, isIn) => {
    expect(isModeIn(mode, ranges)).toBe(isIn)
  })

  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['F19 what is in both sets', ['text/plain', 'image/png'], ['image/png', 'text/html'], ['image/png']],
    ['F19 of a range and a type the type', ['text/*'], ['text/plain', 'text/html'], ['text/plain', 'text/html']],
    ['F19 of a type and a range the type', ['text/plain'], ['*/*'], ['text/plain']],
    ['F19 of two ranges the narrower', ['*/*'], ['text/*'], ['text/*']],
    ['F19 in the order of what the client accepts', ['image/png', 'text/plain'], ['text/plain', 'image/png'], ['image/png', 'text/plain']],
    ['F19 each once, without case and parameters', ['Text/Plain', 'text/plain;q=1'], ['text/plain'], ['text/plain']],
    ['F19 nothing in common', ['application/json'], ['text/plain'], []],
  ])('%s', (_fact, accepted, offered, common) => {
    expect(intersectModes(accepted, offered)).toEqual(common)
  })
})

const cardOf = (told: Parameters<typeof card>[0]): CardFact => card(told)(1) as CardFact
const draw = { id: 'draw', outputModes: ['image/png'] }
const write = { id: 'write' }

describe('F19 modes that a card offers', () => {
  it.each<[string, CardFact, string | undefined, readonly string[]]>([
    ['F19 the modes of the skill that is named', cardOf({ skills: [write, draw] }), 'draw', ['image/png']],
    ['F19 a named skill without modes has the defaults', cardOf({ skills: [write, draw] }), 'write', ['text/plain']],
    ['F19 no skill named: the only one', cardOf({ skills: [draw] }), undefined, ['image/png']],
    ['F19 no skill named and several: the defaults and those of all', cardOf({ skills: [write, draw] }), undefined, ['text/plain', 'image/png']],
    ['F19 a named skill that the card lacks, of several: the union', cardOf({ skills: [write, draw] }), 'sing', ['text/plain', 'image/png']],
    ['F19 no skills at all: the defaults', cardOf({ skills: [] }), undefined, ['text/plain']],
  ])('%s', (_fact, offered, skill, modes) => {
    expect(advertisedModesOf(offered, skill)).toEqual(modes)
  })

  it.each<[string, CardFact, string | undefined, string | undefined]>([
    ['F19 the named skill is the skill', cardOf({ skills: [write, draw] }), 'draw', 'draw'],
    ['F19 the only skill is the skill', cardOf({ skills: [draw] }), undefined, 'draw'],
    ['F19 of several without a name it is not known', cardOf({ skills: [write, draw] }), undefined, undefined],
  ])('%s', (_fact, offered, named, skill) => {
    expect(skillOf(offered, named)).toBe(skill)
  })
})

describe('F19 the negotiated contract', () => {
  const contractOf = (lines: readonly Line[], atSecond = 100): readonly string[] | undefined => {
    const { dispatches, workers } = taskAfter(lines)
    return negotiatedAt(dispatches, workers.get('w1'), ms(atSecond)).contract
  }
  const both = card({ at: -9, outputModes: ['text/plain', 'application/json'] })
  const json = ['application/json']
  it.each<[string, readonly Line[], number, readonly string[] | undefined]>([
    ['F19 what the client accepts and the skill offers', [both, sent({ at: 0, acceptedModes: json })], 100, json],
    ['F19 the client stated none: what the skill offers', [both, sent({ at: 0 })], 100, ['text/plain', 'application/json']],
    ['F19 no card is known: what the client accepts', [sent({ at: 0, acceptedModes: json })], 100, json],
    ['F19 neither is known: no contract', [sent({ at: 0 })], 100, undefined],
    ['F19 the last dispatch that states any counts', [both, sent({ at: 0, acceptedModes: ['text/plain'] }), sent({ at: 5, acceptedModes: json })], 100, json],
    ['F19 a later dispatch that states none changes nothing', [both, sent({ at: 0, acceptedModes: json }), sent({ at: 5 }), sent({ at: 6, acceptedModes: [] })], 100, json],
    ['F19 a dispatch after the emission does not count', [both, sent({ at: 0, acceptedModes: ['text/plain'] }), sent({ at: 5, acceptedModes: json })], 4, ['text/plain']],
    ['F19 a card fetched after the emission does not count', [both, card({ at: 50, outputModes: json }), sent({ at: 0 })], 40, ['text/plain', 'application/json']],
    ['F19 the skill that the client named', [card({ at: -9, skills: [write, draw] }), sent({ at: 0, skill: 'draw' })], 100, ['image/png']],
  ])('%s', (_fact, lines, at, contract) => {
    expect(contractOf(lines, at)).toEqual(contract)
  })
})

describe('F19 emissions', () => {
  const json = ['application/json']
  const codesIn = (lines: readonly Line[]): string =>
    taskAfter(lines).violations.map(({ code, detail }) => `${code}: ${detail.split(' ')[0]}`).join(', ') || 'none'
  it.each<[string, readonly Line[], string]>([
    ['F19 an emission inside the contract breaks nothing', [card({ at: -9 }), sent({ acceptedModes: ['text/*'] }), answered('working'), chunk('x')], 'none'],
    ['F19 outside what the card offers', [card({ at: -9, outputModes: json }), sent(), answered('working'), chunk('x')], 'media_type_not_advertised: text/plain'],
    ['F19 offered, and not what the client accepts', [card({ at: -9 }), sent({ acceptedModes: json }), answered('working'), chunk('x')], 'media_type_not_negotiated: text/plain'],
    ['F19 neither offered nor accepted', [card({ at: -9, outputModes: json }), sent({ acceptedModes: json }), answered('working'), chunk('x')], 'media_type_not_advertised: text/plain, media_type_not_negotiated: text/plain'],
    ['F19 accepted without any card known', [sent({ acceptedModes: json }), answered('working'), chunk('x')], 'media_type_not_negotiated: text/plain'],
    ['F19 without card and wishes there is no contract to break', [sent(), answered('working'), chunk('x')], 'none'],
    ['F19 one type of one artifact is told once', [sent({ acceptedModes: json }), answered('working'), chunk('x'), chunk('y', { append: true })], 'media_type_not_negotiated: text/plain'],
    ['F19 a message as the whole answer is an emission', [sent({ acceptedModes: json }), messaged('x')], 'media_type_not_negotiated: text/plain'],
    ['F19 trust does not change what was agreed', [card({ at: -9 }), enrolled({ trust: 'card' }), sent({ acceptedModes: json }), answered('working'), chunk('x')], 'media_type_not_negotiated: text/plain'],
  ])('%s', (_fact, lines, codes) => {
    expect(codesIn(lines)).toBe(codes)
  })

  it('F19 a remark beside a task is no emission', () => {
    const { facts, workers } = inputOf([sent({ acceptedModes: json }), messaged('x', { task: 't-1', channel: 'update' })])
    const signs = facts.filter((fact) => fact.kind === 'message')
    const dispatches = taskAfter([sent({ acceptedModes: json })]).dispatches
    expect(checkEmissions({ workerId: 'w1', signs, changes: [], dispatches, worker: workers.get('w1') })).toEqual([])
  })
})
