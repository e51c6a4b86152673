// npm run live                 every agent in every situation; writes docs/reference/live-agents.md
// npm run live -- --sdk js     one SDK alone (js, python, python-0.3, go); prints its lines, writes nothing
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createInstance } from '../fault/instance.ts'
import { agentsOrExit } from './agents.ts'
import { killAndAsk, situations, type Row } from './kill-and-ask.ts'
import { lineOf, pageOf, pageUrl } from './page.ts'
import { enrolStandby } from './standby.ts'

const { values } = parseArgs({ options: { sdk: { type: 'string' } } })
const agents = await agentsOrExit(values.sdk)

const instance = await createInstance({ GRACE_MS: '500' })
const rows: Row[] = []
try {
  await instance.start()
  await enrolStandby(instance)
  for (const agent of agents) {
    for (const situation of situations) {
      const seen = await killAndAsk(agent, situation, instance)
      rows.push(...seen)
      for (const row of seen) console.log(lineOf(row))
    }
  }
} finally {
  await instance.remove()
}
if (values.sdk === undefined) {
  writeFileSync(pageUrl, pageOf(rows))
  console.log(`${rows.length} rows written to docs/reference/live-agents.md`)
}
