/** docs/reference/probed-agents.md, made of what was found. */
import { readFileSync } from 'node:fs'
import type { ProbedAgent } from './probe-agent.ts'

export const probePageUrl = new URL('../../docs/reference/probed-agents.md', import.meta.url)

const head = `# Probed agents

What [the probe](../probe.md) found of agents on real SDKs, killed with SIGKILL while a canary waited for input and started
again at the same address. Made by \`npm run live:probe\`, which runs the command a person runs; \`npm test\` runs a
part of it and holds this page against what it finds.

Every agent declares the same states, asks one question and emits one artifact as JSON. Over JSON-RPC, with HTTP+JSON as
the other binding. The in-memory store is the one each SDK brings; SQLite is the database store of the JavaScript SDK. \`-\` is unknown:
these agents send no pushes.
`

const word = (value: boolean | number | 'unknown' | undefined): string => (value === true ? 'yes' : value === false ? '**no**' : value === 'unknown' || value === undefined ? '-' : `${value} s`)

/** One state can be missed by asking, and is on a busy machine: \`submitted\`, which ends at once. */
const states = ({ report }: ProbedAgent): string =>
  report.verified.states
    .filter(({ state }) => state !== 'submitted' && state !== 'canceled')
    .map(({ state, grade }) => `${state}: ${grade}`)
    .join('<br>')

/** The line of an agent in the table. */
export const probeLineOf = (probed: ProbedAgent): string => {
  const { agent, store, report } = probed
  const { survivesRestart, idempotentMessageId, notFoundHonest, streamReplay, bindingParity, pushArrives } = report.measured
  const cells = [survivesRestart, idempotentMessageId, notFoundHonest, streamReplay, bindingParity, pushArrives].map(word)
  const modes = report.verified.mediaTypes.map(({ mediaType, grade }) => `${mediaType}: ${grade}`).join('<br>')
  return `| ${agent.label} | ${agent.protocol} | ${store} | ${states(probed)} | ${modes} | ${cells.join(' | ')} |`
}

export const probePageOf = (all: readonly ProbedAgent[]): string =>
  [
    head,
    '| SDK | A2A | store | states | media types | survives a restart | same message, one task | honest not-found | late stream replays | bindings agree | pushes arrive |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...all.map(probeLineOf),
    '',
  ].join('\n')

export const committedProbePage = (): string => readFileSync(probePageUrl, 'utf8')
