// npm run fault:kafka -- --events 20000 --writers 8 --tasks 500 --partitions 6 --pause-ms 20000 --seed 1
import { parseArgs } from 'node:util'
import { checkViews } from './check-views.ts'
import { kafkaChaos, type ChaosReport } from './kafka-chaos.ts'

const { values } = parseArgs({
  options: {
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
  seed: Number(values.seed),
}
console.log(`plan ${JSON.stringify(plan)}`)
const report = await kafkaChaos({ ...plan, say: (line) => console.log(line) }, checkViews)
console.log(JSON.stringify(report, null, 2))
const isRight = isAsPromised(report)
console.log(isRight ? 'every acknowledged event is there once, on the feed in order, and the views are those of a rebuild' : 'something is missing, twice or different')
process.exitCode = isRight ? 0 : 1

function isAsPromised({ isDense, isReaderComplete, misplaced, repeated, decidedTwice, feed, views, differsFromEmbedded }: ChaosReport): boolean {
  const wrong = [misplaced, repeated, decidedTwice, feed.gaps, feed.disordered, differsFromEmbedded]
  return isDense && isReaderComplete && wrong.every(({ length }) => length === 0) && views.includes('same')
}
