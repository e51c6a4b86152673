// npm run fuzz -- --inputs 200000 --seed 1     through normalise and fold
// npm run fuzz -- --http 20000 --seed 1        over HTTP, against an instance of its own
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { writeFound } from './found.ts'
import type { FoldReport } from './fuzz-fold.ts'
import { fuzzHttp } from './fuzz-http.ts'

const { values } = parseArgs({
  options: {
    inputs: { type: 'string' },
    http: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const seed = Number(values.seed)
const inputs = Number(values.inputs ?? (values.http === undefined ? 200_000 : 0))
/** What hangs is ended, and how to make it hang again is said. */
const stallMs = 120_000
const heapMiB = 512

const foldInThread = async (): Promise<FoldReport> => {
  const progress = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL('./fold-worker.ts', import.meta.url), {
    workerData: { inputs, seed, progress },
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  })
  const [before, stalled] = [{ begun: -1 }, Promise.withResolvers<never>()]
  const watch = setInterval(() => {
    const begun = Atomics.load(progress, 0)
    console.log(`${begun} cases begun`)
    if (begun === before.begun) stalled.reject(new Error(`nothing came of a case in ${stallMs} ms: --inputs 1 --seed ${Atomics.load(progress, 1)}`))
    before.begun = begun
  }, stallMs)
  const reported = new Promise<FoldReport>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', (error) => reject(new Error(`--inputs 1 --seed ${Atomics.load(progress, 1)}`, { cause: error })))
  })
  try {
    return await Promise.race([reported, stalled.promise])
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}

console.log(`seed ${seed}`)
if (inputs > 0) {
  const startedAtMs = performance.now()
  const { failure, ...report } = await foldInThread()
  console.log(JSON.stringify({ ...report, elapsedMs: Math.round(performance.now() - startedAtMs) }, null, 2))
  if (failure !== undefined) {
    console.log(`--inputs 1 --seed ${failure.seed}: ${failure.because}\n${JSON.stringify(failure.inputs, null, 2)}`)
    console.log(`The case is kept, for the tests to run from now on: ${writeFound(failure)}`)
  }
  console.log(failure === undefined ? 'every input was recorded, quarantined or rejected, in its time' : 'an input did not hold')
  if (failure !== undefined) process.exitCode = 1
}
if (values.http !== undefined) {
  const report = await fuzzHttp({ inputs: Number(values.http), seed, say: (line) => console.log(line) })
  console.log(JSON.stringify(report, null, 2))
  console.log(report.problems.length === 0 ? 'no 5xx, and every input is accounted for' : `${report.problems.length} problems, see above`)
  if (report.problems.length > 0) process.exitCode = 1
}
