// `npm run check`: everything that needs no service, side by side. With arguments: only those parts.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { nodeFlags, node24Path, workspaceRoot } from './launch/node24.cjs'

type Step = { readonly part: string; readonly name: string; readonly args: readonly string[] }

const bin = (path: string): string => join('node_modules', path)
/** Makes a second check quick; a clone begins without. */
const cache = (project: string): string => join('node_modules', '.cache', `${project.replaceAll('/', '-')}.tsbuildinfo`)

const steps: readonly Step[] = [
  ...['tsconfig.json', 'packages/domain/tsconfig.json'].map((project) => ({
    part: 'types',
    name: `types ${project}`,
    args: [bin('typescript/bin/tsc'), '-p', project, '--incremental', '--tsBuildInfoFile', cache(project)],
  })),
  { part: 'test', name: 'domain tests', args: ['infra/run-tests.ts', '--project=unit'] },
  { part: 'lint', name: 'lint', args: [bin('oxlint/bin/oxlint'), '--type-aware'] },
  { part: 'boundaries', name: 'boundaries', args: ['infra/check/boundaries.ts'] },
  { part: 'unused', name: 'unused', args: [bin('knip/bin/knip.js'), '--no-config-hints'] },
]

const parts = new Set(process.argv.slice(2))
const unknown = [...parts].filter((part) => !steps.some((step) => step.part === part))
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${[...new Set(steps.map((step) => step.part))].join(', ')}.`)
  process.exit(1)
}
const chosen = parts.size === 0 ? steps : steps.filter((step) => parts.has(step.part))

const waiting = [...chosen]
const failed: string[] = []
const startedAtMs = performance.now()

async function work(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const stepStartedAtMs = performance.now()
    const { code, output } = await run(step)
    const tookS = ((performance.now() - stepStartedAtMs) / 1000).toFixed(1)
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${tookS} s)`)
    if (code !== 0) {
      failed.push(step.name)
      console.log(output)
    }
  }
}

async function run(step: Step): Promise<{ code: number | null; output: string }> {
  const child = spawn(node24Path, [...nodeFlags, ...step.args], {
    cwd: workspaceRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, output }
}

await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))
const tookS = ((performance.now() - startedAtMs) / 1000).toFixed(1)
console.log(failed.length === 0 ? `check ok (${tookS} s)` : `check FAILED: ${failed.join(', ')} (${tookS} s)`)
process.exit(failed.length === 0 ? 0 : 1)
