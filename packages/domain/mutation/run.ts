/**
 * `npm run mutation -- [folder or file …]`: changes the domain in every small way that Stryker knows and tells
 * which changes no test noticed. `docs/mutation.md` says how to read it; what is known of the survivors of whole
 * folders is kept in `docs/mutation-survivors.md`.
 *
 * What is computed once, while a module loads, is left alone unless `--static`: to try one of those takes a new
 * process and every test.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core'
import { pageOf, percentOf, readPage, withReasons, type Measured, type Survivor } from './survivors-page.ts'

const percentMin = 85
const folders = ['media-type', 'reconcile', 'root-cause', 'fact', 'task']
const source = join('packages', 'domain', 'src')
const page = join('docs', 'mutation-survivors.md')

setPriority(15) // the machine has other things to do
process.chdir(join(import.meta.dirname, '..', '..', '..')) // tests read pages of docs/

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    static: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '1' },
  },
})
const targets = positionals.length === 0 ? folders : positionals
const unknown = targets.filter((target) => !folders.includes(target.split('/')[0] ?? '') || !existsSync(join(source, target)))
if (unknown.length > 0) {
  console.error(`No such folder or file: ${unknown.join(', ')}. Folders are: ${folders.join(', ')}.`)
  process.exit(1)
}

const optionsFor = (target: string): PartialStrykerOptions => ({
  mutate: [join(source, target.endsWith('.ts') ? target : `${target}/**/*.ts`), '!**/*.test.ts'],
  testRunner: 'domain-tests',
  coverageAnalysis: 'perTest',
  ignoreStatic: !values.static,
  plugins: [import.meta.resolve('./domain-tests.ts'), import.meta.resolve('./prose.ts')],
  ignorers: ['prose'],
  concurrency: Number(values.concurrency),
  ignorePatterns: ['.data'], // what installs and services keep: not read by any test of the domain
  tempDirName: join(tmpdir(), 'a2a-ledger-mutation', `${process.pid}`),
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: join('node_modules', '.cache', 'mutation', `${target.replaceAll('/', '-')}.report.json`) },
  timeoutMS: 30_000, // a busy machine is no endless loop; those are told by how often they go round
  dryRunTimeoutMinutes: 15,
  thresholds: { high: percentMin, low: percentMin, break: null },
})

const onOneLine = (code: string, lengthMax = 110): string => {
  const line = code.replaceAll(/\s+/g, ' ').trim()
  return line.length > lengthMax ? `${line.slice(0, lengthMax)}…` : line
}

const survivorOf = ({ fileName, location: { start, end }, replacement }: MutantResult): Survivor => {
  const lines = readFileSync(fileName, 'utf8').split('\n').slice(start.line - 1, end.line)
  const cut = [...lines.slice(0, -1), (lines.at(-1) ?? '').slice(0, end.column - 1)]
  const code = [(cut[0] ?? '').slice(start.column - 1), ...cut.slice(1)].join('\n')
  return {
    file: fileName.split(`${source}/`).at(-1) ?? fileName,
    line: start.line,
    change: `${onOneLine(code)} → ${onOneLine(replacement ?? '')}`,
  }
}

const measuredOf = (folder: string, results: readonly MutantResult[]): Measured<Survivor> => {
  const tried = results.filter(({ status }) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status))
  const survivors = tried
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map((result) => ({ ...survivorOf(result), column: result.location.start.column }))
    .toSorted((left, right) => (left.file < right.file ? -1 : left.file > right.file ? 1 : left.line - right.line || left.column - right.column))
  return {
    folder,
    mutants: tried.length,
    day: new Date().toISOString().slice(0, 10),
    survivors: survivors.map(({ file, line, change }) => ({ file, line, change })),
  }
}

let isGood = true
for (const target of targets) {
  const results = await new Stryker(optionsFor(target)).runMutationTest()
  const known = existsSync(page) ? readPage(readFileSync(page, 'utf8')) : []
  const kept = known.flatMap(({ survivors }) => survivors)
  const measured = withReasons(measuredOf(target, results), kept)
  const isWhole = folders.includes(target) && !values.static
  if (isWhole) {
    const found = [...known.filter(({ folder }) => folder !== target), measured]
    writeFileSync(page, pageOf(found.toSorted((left, right) => folders.indexOf(left.folder) - folders.indexOf(right.folder))))
  }
  const unexplained = measured.survivors.filter(({ reason }) => reason === '?')
  for (const { file, line, change } of unexplained) console.log(`${join(source, file)}:${line} ${change}`)
  const percent = percentOf(measured)
  isGood &&= percent >= percentMin && (unexplained.length === 0 || !isWhole)
  console.log(
    `${target}: ${percent.toFixed(1)} % (${measured.mutants - measured.survivors.length} of ${measured.mutants} noticed, ` +
      `${measured.survivors.length} not, ${unexplained.length} of them without a reason)${isWhole ? `; ${page}` : ''}`,
  )
}
process.exit(isGood ? 0 : 1)
