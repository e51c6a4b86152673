// npm run fault:kill -- --events 20000 --writers 8 --tasks 500 --kills 5 --seed 1
import { parseArgs } from 'node:util'
import { checkViews } from './check-views.ts'
import { killEverything } from './kill-everything.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '20000' },
    writers: { type: 'string', default: '8' },
    tasks: { type: 'string', default: '500' },
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const plan = {
  events: Number(values.events),
  writers: Number(values.writers),
  tasks: Number(values.tasks),
  kills: Number(values.kills),
  seed: Number(values.seed),
}
console.log(`plan ${JSON.stringify(plan)}`)
const report = await killEverything({ ...plan, say: (line) => console.log(line) }, checkViews)
console.log(JSON.stringify(report, null, 2))
const isRight =
  report.isDense &&
  report.isReaderComplete &&
  report.misplaced.length === 0 &&
  report.repeated.length === 0 &&
  report.decidedTwice.length === 0 &&
  report.recorded + report.duplicates === report.sent
console.log(isRight ? 'every acknowledged event is there once' : 'something is missing or there twice')
process.exitCode = isRight ? 0 : 1
