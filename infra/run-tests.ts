// `npm test`: the whole suite, or what the arguments select. The last line is the counts.
// Arguments: `--project=<name>` (repeatable), anything else filters by file name.
import { join } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { startVitest } from 'vitest/node'
import { workspaceRoot } from './launch/node24.cjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    project: { type: 'string', multiple: true, default: [] },
    testNamePattern: { type: 'string', short: 't' },
  },
})

/** In CI a test that could not run is a failure, but for those that read the folder beside us, and for the agent in Go. */
const mayBeSkipped = /\.\.\/shared\/cases|a2a-go \S+, A2A .* needs Go/

/** Services and agents are started some hundred times: what Node compiled of them once is kept. */
process.env['NODE_COMPILE_CACHE'] ??= join(workspaceRoot, 'node_modules', '.cache', 'compiled')

const failureOf = (name: string, errors: readonly unknown[] = []): string =>
  [name, ...errors.map((error) => `  ${messageOf(error).split('\n').slice(0, 4).join('\n  ').slice(0, 500)}`)].join('\n')
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? stripVTControlCharacters(String(error.message)) : String(error)

const vitest = await startVitest('test', positionals, {
  root: workspaceRoot,
  watch: false,
  reporters: ['default'],
  ...(values.project.length === 0 ? {} : { project: values.project }),
  ...(values.testNamePattern === undefined ? {} : { testNamePattern: values.testNamePattern }),
})

const counts = { passed: 0, failed: 0, skipped: 0 }
/** Told again at the end: what is kept of a long output is often its last lines alone. */
const failures: string[] = []
const skippedInCi: string[] = []
const skippedByFile = new Map<string, number>()
for (const module of vitest.state.getTestModules()) {
  let testCount = 0
  for (const test of module.children.allTests()) {
    testCount += 1
    const { state, errors } = test.result()
    counts[state === 'pending' ? 'failed' : state] += 1
    if (state === 'failed' || state === 'pending') failures.push(failureOf(`${module.relativeModuleId} > ${test.fullName}`, errors))
    if (state !== 'skipped' || values.testNamePattern !== undefined) continue
    if (process.env['CI'] === 'true' && !mayBeSkipped.test(test.fullName)) skippedInCi.push(`${module.relativeModuleId} > ${test.fullName}`)
    else skippedByFile.set(module.relativeModuleId, (skippedByFile.get(module.relativeModuleId) ?? 0) + 1)
  }
  // A file that does not load, or a hook that throws, fails without a test of its own.
  const suiteErrors = [module, ...module.children.allSuites()].flatMap((each) => each.errors())
  if (suiteErrors.length > 0 || (testCount === 0 && module.state() === 'failed')) {
    counts.failed += 1
    failures.push(failureOf(module.relativeModuleId, suiteErrors))
  }
}
const unhandled = vitest.state.getUnhandledErrors()
counts.failed += unhandled.length
failures.push(...unhandled.map((error) => failureOf('outside of any test', [error])))
await vitest.close()

for (const [file, count] of skippedByFile) console.log(`Skipped: ${count} of ${file}`)
if (skippedInCi.length > 0) {
  console.log(`Skipped, which is a failure where CI=true:\n  ${skippedInCi.join('\n  ')}`)
  counts.failed += skippedInCi.length
  counts.skipped -= skippedInCi.length
}
const toldMax = 30
if (failures.length > 0) console.log(`Failed:\n${failures.slice(0, toldMax).join('\n')}`)
if (failures.length > toldMax) console.log(`and ${failures.length - toldMax} more, see above`)
const isGreen = counts.failed === 0 && counts.passed > 0
if (counts.passed + counts.failed === 0) console.log('No test ran.')
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
)
process.exit(isGreen && (process.exitCode ?? 0) === 0 ? 0 : 1)
