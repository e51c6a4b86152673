/**
 * A part of `npm run live` on every run: agents on the SDKs of three vendors, killed and asked again,
 * say and conclude what docs/reference/live-agents.md says of them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createInstance, type MortalInstance } from '../fault/instance.ts'
import { liveAgents } from '../live/agents.ts'
import { bindings, killAndAsk, situations } from '../live/kill-and-ask.ts'
import { committedPage, lineOf } from '../live/page.ts'
import { enrolStandby } from '../live/standby.ts'
import { hasGo } from '../workers/go.ts'

/** One version of each SDK: building the older one in Go takes minutes, and the command runs them all. */
const agents = liveAgents.filter(({ sdk, protocol }) => sdk === (protocol === '0.3' ? 'js' : 'python') || (sdk === 'go' && protocol === '1.0'))
const isGoThere = await hasGo()

let instance: MortalInstance

beforeAll(async () => {
  instance = await createInstance({ GRACE_MS: '500' })
  await instance.start()
  await enrolStandby(instance)
})
afterAll(() => instance?.remove())

// Where there is no Go, nothing here can get one: its agent is left to the command then.
describe.each(agents)('$label, A2A $protocol (an agent in Go needs Go)', (agent) => {
  test.skipIf(agent.sdk === 'go' && !isGoThere).each(situations)('killed in %s, says and makes the ledger conclude what the page says', { timeout: 300_000 }, async (situation) => {
    const lines = (await killAndAsk(agent, situation, instance)).map(lineOf)
    expect(lines).toHaveLength(bindings.length)
    expect(committedPage().split('\n')).toEqual(expect.arrayContaining(lines))
  })
})
