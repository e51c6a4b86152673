// npm run bench:proxy -- --calls 10000 --concurrency 16 --hangups 20 --outage 30 --stream 600
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { benchProxy } from './proxy-bench.ts'

/** What the proxy may add to a call on this machine, in milliseconds. */
const budgetMs = { p50: 2, p99: 10 }

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    concurrency: { type: 'string', default: '16' },
    hangups: { type: 'string', default: '20' },
    outage: { type: 'string', default: '30' },
    stream: { type: 'string', default: '600' },
    spool: { type: 'string' },
  },
})
console.log(`${availableParallelism()} cores, load ${loadavg().map((load) => load.toFixed(1)).join(' ')}`)
const report = await benchProxy({
  calls: Number(values.calls),
  concurrency: Number(values.concurrency),
  hangUps: Number(values.hangups),
  outageSeconds: Number(values.outage),
  streamSeconds: Number(values.stream),
  ...(values.spool !== undefined && { spoolBytesMax: Number(values.spool) }),
  say: (line) => console.log(line),
})
console.log(JSON.stringify(report, null, 2))
const { latencyMs, failedCalls, outage, stream, events } = report
const problems = [
  ...(latencyMs.added.p50 > budgetMs.p50 ? [`p50 is ${latencyMs.added.p50} ms more, the budget is ${budgetMs.p50}`] : []),
  ...(latencyMs.added.p99 > budgetMs.p99 ? [`p99 is ${latencyMs.added.p99} ms more, the budget is ${budgetMs.p99}`] : []),
  ...(failedCalls + outage.failedCalls > 0 ? [`${failedCalls + outage.failedCalls} calls failed`] : []),
  ...(stream.frames !== Number(values.stream) ? [`the stream had ${stream.frames} frames`] : []),
  ...(events.recorded + events.missing !== events.expected ? ['recorded and counted events are not all there were'] : []),
]
console.log(problems.length === 0 ? 'within the budget; every event is recorded or counted' : problems.join('\n'))
process.exitCode = problems.length === 0 ? 0 : 1
