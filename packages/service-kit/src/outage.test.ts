import { expect, test } from 'vitest'
import { createOutage } from './outage.ts'

test('an outage is told at first and every ten seconds, its end once, and the next one anew', () => {
  let nowMs = 0
  const told: string[] = []
  const outage = createOutage(() => nowMs)
  const tell = (word: string) => () => void told.push(`${nowMs} ${word}`)
  outage.over(tell('never away'))
  for (; nowMs < 25_000; nowMs += 500) outage.met(tell('away'))
  outage.over(tell('back'))
  outage.over(tell('still there'))
  nowMs += 500
  outage.met(tell('away'))
  expect(told).toEqual(['0 away', '10000 away', '20000 away', '25000 back', '25500 away'])
})
