/**
 * `npm run demo`: the incident on a running instance, or on one of its own, and what each
 * orchestrator ends with, side by side.
 */
import { parseArgs } from 'node:util'

import { type IncidentOutcome, runIncident } from './incident.ts'
import { findInstance, startInstance } from './own-instance.ts'
import { type Row, renderTwoColumns, wrap } from './two-columns.ts'

const { values } = parseArgs({ options: { own: { type: 'boolean', default: false } } })
const print = (text: string) => console.log(text)

print('One piece of work, three agents on real A2A SDKs, and a worker that forgets.\n')
const found = values.own ? undefined : await findInstance()
if (found === undefined) print('Starting an instance of its own (the first start takes a while) …')
const instance = found ?? (await startInstance())
print(`Ledger ${instance.ledgerUrl}, reconciler ${instance.reconcilerUrl}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void instance.stop().then(() => process.exit(1)))
}
try {
  const outcome = await runIncident({ ...instance, say })
  print(`\n${renderTwoColumns(['', 'WITHOUT THE LEDGER', 'WITH THE LEDGER'], toRows(outcome))}\n`)
  print(`The naive orchestrator's own store, keyed by the worker's task ids:`)
  print(`${JSON.stringify(outcome.naive.tasks, null, 2)}\n`)
  print(renderTimeline(outcome))
} finally {
  await instance.stop()
}

function say(sentence: string): void {
  for (const line of wrap(sentence, 78)) print(`  ${line}`.trimEnd())
}

function toRows({ naive, ledger, workers }: IncidentOutcome): Row[] {
  const tasks = Object.entries(naive.tasks)
  const [[, failed]] = tasks as [(typeof tasks)[number]]
  const { verdict, atVerdict, atEnd } = ledger
  const cause = atVerdict.rootCause.findings[0]
  const artifact = atEnd.view.artifacts[0]
  const superseded = artifact?.variants.filter(({ status }) => status === 'superseded') ?? []
  return [
    [
      'The task',
      failed.state,
      `${atVerdict.view.state} (last seen: ${atVerdict.view.lastObserved}), then ${atEnd.view.state}`,
    ],
    [
      'Who is to blame',
      `the client: "${failed.because}"`,
      `the ${cause?.responsible}: ${cause?.cause} (${cause?.confidence}). ${atVerdict.rootCause.summary}`,
    ],
    [
      'What next',
      `nothing: ${failed.fallback}`,
      `${verdict.kind} to ${verdict.workerId}, risk of a second execution: ${verdict.duplicateRisk}`,
    ],
    [
      'Why not another',
      '',
      verdict.considered
        .filter(({ eligible }) => !eligible)
        .map(({ workerId, because = '' }) => `${workerId}: ${inWords(because)}`)
        .join('\n'),
    ],
    [
      'Tasks',
      [`${tasks.length} unrelated tasks`, ...tasks.map(([id, { state }]) => `${id} ${state}`)].join('\n'),
      [
        `one, ${ledger.correlationId}, with ${countAt(ledger, workers.w1)} task ids at ${workers.w1}`,
        ...atEnd.view.attempts.map(({ taskId, life, state }) => `${taskId} ${life}, ${state}`),
      ].join('\n'),
    ],
    [
      'Artifacts',
      tasks
        .flatMap(([id, task]) => task.artifacts.map(({ mediaType }) => `${mediaType}\n  of ${id}`))
        .join('\n'),
      [
        `${artifact?.canonical?.mediaTypes.join()}\n  of ${artifact?.canonical?.taskId}`,
        ...superseded.map(
          ({ mediaTypes, taskId, because }) =>
            `superseded: ${mediaTypes.join()}\n  of ${taskId}: ${because}`,
        ),
      ].join('\n'),
    ],
  ]
}

function countAt({ atEnd }: IncidentOutcome['ledger'], worker: string): number {
  return atEnd.view.attempts.filter(({ workerId }) => workerId === worker).length
}

/** The closed list of reasons of the contract, for readers who do not know it. */
function inWords(reason: string): string {
  const words: Record<string, string> = {
    lost_it: 'it is the one that lost the task',
    skill_differs: 'it cannot do this kind of work',
    state_not_verified: 'nothing proves that it can wait for input',
    mode_not_verified: 'nothing proves that it can deliver the media type asked for',
    unreachable: 'it does not answer',
  }
  return words[reason] === undefined ? reason : `${words[reason]} (${reason})`
}

function renderTimeline({ ledger }: IncidentOutcome): string {
  const lines = ledger.atEnd.timeline.entries.map((entry) => {
    const { canonical, operation = '', taskId = '' } = entry
    const what = canonical.state ?? canonical.error?.name ?? ''
    const columns = [
      String(entry.position).padStart(6),
      entry.type.replace('a2a.', '').padEnd(18),
      operation.padEnd(12),
      what.padEnd(15),
      taskId,
    ]
    return columns.join(' ').slice(0, 80).trimEnd()
  })
  return [`What the ledger has on record of ${ledger.correlationId}:`, ...lines].join('\n')
}
