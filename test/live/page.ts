/** docs/reference/live-agents.md, made of what was seen. */
import { readFileSync } from 'node:fs'
import type { Asked, Conclusion, Row } from './kill-and-ask.ts'

export const pageUrl = new URL('../../docs/reference/live-agents.md', import.meta.url)

const head = `# Live agents

What agents on real SDKs say about a task after they were killed with SIGKILL and started again, and what the ledger
concludes of it. Made by \`npm run live\`, which runs every agent, kills it in each situation and asks it again over each
binding it offers; \`npm test\` runs a part of it and holds this page against what it sees. No gRPC: these agents offer none.

Each agent keeps its tasks in the in-memory store of its SDK. Nobody reports the restart to the ledger: it has what an
orchestrator sees, and no more. Three conclusions, one after the other:

1. **weak**: GetTask was asked over the *other* binding, then SubscribeToTask and CancelTask over that of the task. None of
   it loses a task (F6, F7, F8).
2. **strong**: GetTask was asked over the binding of the task. \`live-standby\` is another worker of the mesh, whose card is
   trusted.
3. **again**: the same message was sent once more; before it, where the task waited for input, the answer to its question.

What the wire said is the HTTP status, then the JSON-RPC or REST code and its reason, or the members of a body that has
no code; \`application/json\` is left out. \`A > B\` is what was asked and what was said.
`

/** Asked, in the order of the run. */
const asked: readonly (readonly [name: Asked, words: string])[] = [
  ['other', 'GetTask, other binding'],
  ['SubscribeToTask', 'SubscribeToTask'],
  ['CancelTask', 'CancelTask'],
  ['GetTask', 'GetTask'],
  ['answer', 'answer to the question'],
  ['again', 'same message again'],
]

const conclusionWords = ({ state, lastObserved, life, cause, verdict }: Conclusion): string =>
  `${state}${lastObserved === undefined ? '' : `, last seen ${lastObserved}`}; attempt ${life}; cause ${cause}; verdict ${verdict}`

/** The line of a row in the table. */
export const lineOf = ({ agent, binding, situation, said, concluded }: Row): string => {
  const wire = asked.flatMap(([name, words]) => (said[name] === undefined ? [] : [`${words} > ${said[name]}`]))
  const { weak, strong, again } = concluded
  const conclusions = [
    `**weak** ${conclusionWords(weak)}`,
    `**strong** ${conclusionWords(strong)}`,
    ...(again === undefined ? [] : [`**again** ${conclusionWords(again)}`]),
  ]
  return `| ${agent.label} | ${agent.protocol} | ${binding} | ${situation} | ${wire.join('<br>')} | ${conclusions.join('<br>')} |`
}

export const pageOf = (rows: readonly Row[]): string =>
  [
    head,
    '| SDK | A2A | binding | killed in | what the wire said | what the ledger concluded |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map(lineOf),
    '',
  ].join('\n')

export const committedPage = (): string => readFileSync(pageUrl, 'utf8')
