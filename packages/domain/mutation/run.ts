/**
 * `npm run mutation -- [folder …]`: changes the domain in every small way that Stryker knows and tells
 * which changes no test noticed. `docs/mutation.md` says how to read it and which survivors are known.
 *
 * What is computed once, while a module loads, is left alone unless `--static`: to try one of those takes a new
 * process and every test.
 */
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core'

const scoreMin = 85
const folders = ['media-type', 'reconcile', 'root-cause', 'fact', 'task']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    static: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '1' },
  },
})
const unknown = positionals.filter((folder) => !folders.includes(folder))
if (unknown.length > 0) {
  console.error(`No such folder: ${unknown.join(', ')}. There are: ${folders.join(', ')}.`)
  process.exit(1)
}

setPriority(15) // it takes long, and the machine has other things to do
process.chdir(join(import.meta.dirname, '..', '..', '..')) // tests read pages of docs/

const optionsFor = (folder: string): PartialStrykerOptions => {
  return {
    mutate: [`packages/domain/src/${folder}/**/*.ts`, '!**/*.test.ts'],
    testRunner: 'domain-tests',
    coverageAnalysis: 'perTest',
    ignoreStatic: !values.static,
    plugins: [import.meta.resolve('./domain-tests.ts'), import.meta.resolve('./prose.ts')],
    ignorers: ['prose'],
    concurrency: Number(values.concurrency),
    tempDirName: join(tmpdir(), 'a2a-ledger-mutation', `${process.pid}`),
    reporters: ['clear-text', 'json', 'progress-append-only'],
    jsonReporter: { fileName: join('node_modules', '.cache', 'mutation', `${folder}.report.json`) },
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
    timeoutMS: 60_000, // a busy machine is no endless loop; those are told by how often they go round
    dryRunTimeoutMinutes: 15,
    thresholds: { high: scoreMin, low: scoreMin, break: null },
  }
}

interface Score {
  readonly mutants: number
  readonly killed: number
  readonly survived: number
  readonly percent: number
}

const scoreOf = (results: readonly MutantResult[]): Score => {
  const count = (...statuses: readonly MutantResult['status'][]) =>
    results.filter(({ status }) => statuses.includes(status)).length
  const killed = count('Killed', 'Timeout')
  const survived = count('Survived', 'NoCoverage')
  return { mutants: killed + survived, killed, survived, percent: (100 * killed) / (killed + survived) }
}

const scores = new Map<string, Score>()
for (const folder of positionals.length === 0 ? folders : positionals) {
  scores.set(folder, scoreOf(await new Stryker(optionsFor(folder)).runMutationTest()))
}
for (const [folder, { mutants, killed, survived, percent }] of scores) {
  console.log(`${folder}: ${percent.toFixed(1)} % (${killed} of ${mutants} noticed, ${survived} not)`)
}
process.exit([...scores.values()].every(({ percent }) => percent >= scoreMin) ? 0 : 1)
