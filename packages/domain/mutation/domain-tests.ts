/**
 * Runs the tests of the domain for Stryker: modules are loaded once and stay loaded, and a change takes only the
 * tests that reach it, until one of them notices. Stryker's own runner for Vitest loads every module anew for each
 * change, which takes a hundred times as long; what a test is and says is Vitest's here as well.
 *
 * Right for functions that keep nothing from one call to the next, as those of the domain.
 */
import { globSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { INSTRUMENTER_CONSTANTS, type InstrumenterContext, type StrykerOptions } from '@stryker-mutator/api/core'
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import {
  determineHitLimitReached,
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner'
import { configureGlobal } from 'fast-check'
import { TestRunner as Vitest, type RunnerTask, type RunnerTestFile } from 'vitest'
import { collectTests } from 'vitest/internal/browser'
import type { VitestRunner } from 'vitest/runtime'

/** What says how facts are told, folded, decided on and explained; wire formats and envelopes have tests of their own. */
const folders = ['artifact', 'capability', 'fact', 'invariant', 'media-type', 'reconcile', 'root-cause', 'task']
const testTimeout = 60_000

/** A test that comes past one change more often than this goes round and round. */
const passesMax = 2_000_000

/** The same random histories for every change, so that a figure can be measured again. */
const randomness = { FC_SEED: '1', FC_RUNS: '10' }

interface DomainTest {
  readonly id: string
  readonly name: string
  readonly fileName: string
  readonly run: () => unknown
  tookMs: number
}

/** Shared with the changed code, which asks it which change is in force and tells it which it came past. */
const shared: InstrumenterContext = ((globalThis as Record<string, unknown>)[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {})

const testsIn = (task: RunnerTask): DomainTest[] => {
  if (task.type === 'suite') return task.tasks.flatMap(testsIn)
  if (task.mode !== 'run') return []
  const run = Vitest.getTestFn(task)
  return [{ id: task.id, name: task.fullName, fileName: task.file.filepath, run, tookMs: 0 }]
}

const loadTests = async (): Promise<DomainTest[]> => {
  Object.assign(process.env, randomness)
  configureGlobal({ endOnFailure: true }) // that a history is noticed is enough; it need not be made small
  const files = folders.flatMap((folder) => globSync(`packages/domain/src/${folder}/**/*.test.ts`)).toSorted()
  const runner = {
    config: { root: process.cwd(), testTimeout, hookTimeout: testTimeout, setupFiles: [], sequence: {}, tags: [] },
    importFile: (path: string) => import(pathToFileURL(path).href),
  }
  const loaded: RunnerTestFile[] = await collectTests(files.map((file) => resolve(file)), runner as unknown as VitestRunner)
  const broken = loaded.find(({ result }) => result?.state === 'fail')
  if (broken !== undefined) throw new Error(`${broken.name}: ${broken.result?.errors?.[0]?.message}`)
  return loaded.flatMap(testsIn)
}

/** What the test says that is wrong; nothing when it passes. */
const complaintOf = async (test: DomainTest): Promise<string | undefined> => {
  const startedAtMs = performance.now()
  try {
    await test.run()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    test.tookMs = performance.now() - startedAtMs
  }
}

/** The tests beside the changed file, then its folder's, then quick ones: whichever is likely to notice soon. */
const likelyFirst = (tests: readonly DomainTest[], changed: string): DomainTest[] => {
  const beside = join(dirname(changed), basename(changed).replace(/\.ts$/, '.test.ts'))
  const distance = ({ fileName }: DomainTest) => (fileName === beside ? 0 : dirname(fileName) === dirname(changed) ? 1 : 2)
  return tests.toSorted((left, right) => distance(left) - distance(right) || left.tookMs - right.tookMs)
}

class DomainTests implements TestRunner {
  static readonly inject = tokens(commonTokens.options)
  readonly #leavesWhatLoadsAlone: boolean
  #loading: Promise<DomainTest[]> | undefined

  constructor({ ignoreStatic }: StrykerOptions) {
    this.#leavesWhatLoadsAlone = ignoreStatic
  }

  /** A change to what a module computes while it loads takes a new process; any other is in force from its first test. */
  capabilities() {
    return { reloadEnvironment: this.#leavesWhatLoadsAlone }
  }

  /** Not later than has to be: what it takes is no time of a test. */
  async init(): Promise<void> {
    if (this.#leavesWhatLoadsAlone) await this.#tests()
  }

  /** Where a change is to be in force while modules load, they are loaded with the first one. */
  #tests(): Promise<DomainTest[]> {
    return (this.#loading ??= loadTests())
  }

  async dryRun(): Promise<DryRunResult> {
    const results = []
    for (const test of await this.#tests()) {
      shared.currentTestId = test.id
      const complaint = await complaintOf(test)
      const told = { id: test.id, name: test.name, fileName: test.fileName, timeSpentMs: test.tookMs }
      results.push(
        complaint === undefined
          ? { ...told, status: TestStatus.Success as const }
          : { ...told, status: TestStatus.Failed as const, failureMessage: complaint },
      )
    }
    delete shared.currentTestId
    return { status: DryRunStatus.Complete, tests: results, ...(shared.mutantCoverage && { mutantCoverage: shared.mutantCoverage }) }
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, sandboxFileName }: MutantRunOptions): Promise<MutantRunResult> {
    if (mutantActivation === 'static') shared.activeMutant = activeMutant.id
    const loaded = await this.#tests()
    const wanted = new Set(testFilter ?? loaded.map(({ id }) => id))
    let nrOfTests = 0
    for (const test of likelyFirst(loaded.filter(({ id }) => wanted.has(id)), resolve(sandboxFileName))) {
      nrOfTests += 1
      Object.assign(shared, { activeMutant: activeMutant.id, hitCount: 0, hitLimit: passesMax })
      const failureMessage = await complaintOf(test)
      const endless = determineHitLimitReached(shared.hitCount, passesMax)
      if (endless !== undefined) return { status: MutantRunStatus.Timeout, ...(endless.reason && { reason: endless.reason }) }
      if (failureMessage !== undefined) return { status: MutantRunStatus.Killed, killedBy: [test.id], failureMessage, nrOfTests }
    }
    return { status: MutantRunStatus.Survived, nrOfTests }
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'domain-tests', DomainTests)]
