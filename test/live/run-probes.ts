// npm run live:probe                every agent with every store it has; writes docs/reference/probed-agents.md
// npm run live:probe -- --sdk js    one SDK alone (js, python, python-0.3, go); prints its lines, writes nothing
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { agentsOrExit } from './agents.ts'
import { hasStore, probeAgent, type ProbedAgent } from './probe-agent.ts'
import { probeLineOf, probePageOf, probePageUrl } from './probe-page.ts'

const { values } = parseArgs({ options: { sdk: { type: 'string' } } })
const agents = await agentsOrExit(values.sdk)

const probed: ProbedAgent[] = []
for (const agent of agents) {
  for (const store of ['in memory', 'SQLite'] as const) {
    if (!hasStore(agent, store)) continue
    const found = await probeAgent(agent, store)
    probed.push(found)
    console.log(probeLineOf(found))
  }
}
if (values.sdk === undefined) {
  writeFileSync(probePageUrl, probePageOf(probed))
  console.log(`${probed.length} rows written to docs/reference/probed-agents.md`)
}
