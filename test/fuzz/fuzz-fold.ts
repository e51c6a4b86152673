/**
 * Damaged inputs through normalise and fold, until there were enough of them: nothing throws, every
 * input ends with an outcome, and the command, not the test, holds each to the time its size allows.
 *
 * One seed and one corpus give the same inputs on every machine. A failure is shrunk to the smallest
 * case that still fails.
 */
import fc from 'fast-check'
import { readCorpus } from './corpus.ts'
import { bytesOf, foldCase } from './fold-case.ts'
import { fuzzCase, type FuzzCase } from './fuzz-case.ts'
import { largeBodies } from './large-bodies.ts'

export interface FoldPlan {
  readonly inputs: number
  readonly seed: number
  /** Fails a case that takes more CPU than its size allows; otherwise the figure is reported alone. */
  readonly boundsTime?: boolean
  /** Called before each case, with what would run it again: for whoever watches over the time. */
  readonly onCase?: (blockSeed: number) => void
}

export interface FoldFailure {
  readonly because: string
  /** With this seed and one block of inputs the failure comes again. */
  readonly seed: number
  readonly inputs: FuzzCase
}

export interface FoldReport {
  readonly seed: number
  readonly cases: number
  readonly inputs: number
  readonly bytes: number
  /** How inputs ended: `recorded`, `duplicate`, `rejected: …` and `quarantined: …` with the reason. */
  readonly outcomes: Readonly<Record<string, number>>
  /** The case that took the most of what its size allows. */
  readonly slowest: Slowest
  readonly heapMaxMiB: number
  readonly failure?: FoldFailure
}

interface Slowest {
  readonly cpuMs: number
  readonly boundMs: number
  readonly bytes: number
  readonly what: string
}

const casesPerBlock = 500
/** Characters of the longest string that is put into a body. */
const lengthMax = 200_000
/** CPU time of this thread, so that what else the machine does is not counted. */
const boundMsPerInput = 150
const boundMsPerMiB = 3_000

export const fuzzFold = ({ inputs: wanted, seed, boundsTime = false, onCase }: FoldPlan): FoldReport => {
  const cases = fuzzCase(readCorpus(), lengthMax)
  const outcomes: Record<string, number> = {}
  let [caseCount, inputCount, byteCount, heapMaxMiB] = [0, 0, 0, 0]
  let slowest: Slowest = { cpuMs: 0, boundMs: 1, bytes: 0, what: '' }

  const runCase = (inputs: FuzzCase, what: string): void => {
    const bytes = inputs.reduce((sum, input) => sum + bytesOf(input).length, 0)
    const boundMs = Math.round(inputs.length * boundMsPerInput + (bytes / 2 ** 20) * boundMsPerMiB)
    const measured = boundsTime ? measure(inputs, boundMs) : once(inputs)
    const cpuMs = Math.round(measured.cpuMs)
    if (boundsTime && cpuMs > boundMs) throw new Error(`${cpuMs} ms of CPU for ${inputs.length} inputs of ${bytes} bytes, more than ${boundMs} ms`)
    for (const outcome of measured.outcomes) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    caseCount += 1
    inputCount += inputs.length
    byteCount += bytes
    if (cpuMs / boundMs > slowest.cpuMs / slowest.boundMs) slowest = { cpuMs, boundMs, bytes, what }
  }
  const report = (failure?: FoldFailure): FoldReport => ({
    seed,
    cases: caseCount,
    inputs: inputCount,
    bytes: byteCount,
    outcomes,
    slowest,
    heapMaxMiB,
    ...(failure !== undefined && { failure }),
  })

  for (const { what, inputs } of largeBodies) {
    onCase?.(seed)
    try {
      runCase(inputs, what)
    } catch (error) {
      return report({ because: `${what}: ${reasonOf(error)}`, seed, inputs })
    }
  }
  for (let block = 0; block === 0 || inputCount < wanted; block += 1) {
    const blockSeed = (seed + block * 1_000_003) % 2 ** 31
    const property = fc.property(cases, (inputs) => {
      onCase?.(blockSeed)
      runCase(inputs, `a case of seed ${blockSeed}`)
    })
    const details = fc.check(property, { seed: blockSeed, numRuns: casesPerBlock })
    heapMaxMiB = Math.max(heapMaxMiB, Math.round(process.memoryUsage().heapUsed / 2 ** 20))
    if (details.failed) {
      return report({ because: reasonOf(details.errorInstance), seed: blockSeed, inputs: details.counterexample?.[0] ?? [] })
    }
  }
  return report()
}

const reasonOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

/** The collector and the compiler take their share of a first time; what is slow is slow three times. */
const measure = (inputs: FuzzCase, boundMs: number): { readonly cpuMs: number; readonly outcomes: readonly string[] } => {
  let best = once(inputs)
  for (let again = 0; again < 2 && best.cpuMs > boundMs; again += 1) {
    const next = once(inputs)
    if (next.cpuMs < best.cpuMs) best = next
  }
  return best
}

const once = (inputs: FuzzCase) => {
  const before = process.threadCpuUsage()
  const outcomes = foldCase(inputs)
  const { user, system } = process.threadCpuUsage(before)
  return { cpuMs: (user + system) / 1_000, outcomes }
}
