// npm run fault:kafka -- --runs 10 --events 20000 --writers 8 --tasks 500 --partitions 6 --pause-ms 20000 --seed 1
//
// A line of a table for each run, with the next seed each. Ends at the first run that breaks a promise.
import { parseArgs } from 'node:util'
import type { ChaosReport } from './chaos-report.ts'
import { checkViews } from './check-views.ts'
import { kafkaChaos } from './kafka-chaos.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    events: { type: 'string', default: '20000' },
    writers: { type: 'string', default: '8' },
    tasks: { type: 'string', default: '500' },
    partitions: { type: 'string', default: '6' },
    'pause-ms': { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const plan = {
  events: Number(values.events),
  writers: Number(values.writers),
  tasks: Number(values.tasks),
  partitions: Number(values.partitions),
  pauseMs: Number(values['pause-ms']),
}
const runs = Number(values.runs)
const firstSeed = Number(values.seed)

const columns: Readonly<Record<string, (report: ChaosReport) => unknown>> = {
  sent: ({ sent }) => sent,
  'sent again': ({ retries }) => retries,
  head: ({ head }) => head,
  dense: ({ isDense }) => (isDense ? 'yes' : 'no'),
  missing: ({ misplaced }) => misplaced.length,
  'not once': ({ repeated }) => repeated.length,
  'came twice on the feed': ({ feed }) => feed.duplicates,
  gaps: ({ feed }) => feed.gaps.length,
  disordered: ({ feed }) => feed.disordered.length,
  verdicts: ({ verdictPositions }) => verdictPositions.length,
  'decided twice': ({ decidedTwice }) => decidedTwice.length,
  'unlike a rebuild': ({ views }) => (views.endsWith('every view is the same, byte by byte.') ? 0 : views),
  'unlike embedded': ({ differsFromEmbedded }) => differsFromEmbedded.length,
  'seconds (start + write + settle + check)': ({ tookMs: { start, write, settle, check } }) =>
    `${seconds(start + write + settle + check)} (${[start, write, settle, check].map(seconds).join(' + ')})`,
  broken: ({ broken, evidence }) => (broken.length === 0 ? 'nothing' : `${broken.join('; ')}: see ${evidence}`),
}
const row = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`
const seconds = (ms: number): string => (ms / 1_000).toFixed(0)

console.log(`plan ${JSON.stringify({ runs, ...plan, seed: firstSeed })}`)
const names = ['run', 'seed', ...Object.keys(columns)]
const table = [row(names), row(names.map(() => '---'))]
for (let run = 1; run <= runs && process.exitCode !== 1; run += 1) {
  const seed = firstSeed + run - 1
  const report = await kafkaChaos({ ...plan, seed, say: (line) => console.log(`${run}: ${line}`) }, checkViews)
  table.push(row([run, seed, ...Object.values(columns).map((cell) => cell(report))]))
  console.log(table.at(-1))
  if (report.broken.length > 0) process.exitCode = 1
}
console.log(table.join('\n'))
