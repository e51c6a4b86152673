/** What a probe found, for a person: one table of promises and findings. Pure. */
import { observableStates, type ProbeLearned, type ProbeView } from '@a2a-ledger/domain'
import type { Finding, Judged } from './requirements.ts'

export const scorecard = ({ view, learned }: Finding, judged: readonly Judged[]): string => {
  if (learned.card === undefined) return `There is nothing to probe: ${view.because ?? 'it was interrupted'}.\n`
  const [target] = learned.card.targets
  const title = [learned.card.name ?? 'a worker without a name', target === undefined ? '' : `A2A ${target.protocolVersion} over ${target.binding}`, target?.url ?? '']
  return [
    title.filter((part) => part !== '').join(' – '),
    '',
    ...table(['State', 'Card', 'Probe'], stateRows(view, learned)),
    '',
    ...table(['Media type', 'Card', 'Probe'], modeRows(learned)),
    '',
    ...table(['Behaviour', '', ''], behaviourRows(view)),
    ...(view.state === 'done' ? [] : ['', `The probe is ${view.state}${view.because === undefined ? '' : `: ${view.because}`}.`]),
    ...(judged.length === 0 ? [] : ['', ...table(['Required', '', ''], judged.map(({ name, isMet, because }) => [name, isMet ? 'met' : 'NOT MET', because]))]),
    '',
  ].join('\n')
}

type Row = readonly [string, string, string]

const table = (head: Row, rows: readonly Row[]): readonly string[] => {
  if (rows.length === 0) return []
  const widths = [0, 1].map((column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  return [head, ...rows].map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}

const stateRows = ({ verified }: ProbeView, learned: ProbeLearned): readonly Row[] =>
  observableStates.flatMap((state): readonly Row[] => {
    const isDeclared = learned.card?.states.includes(state) === true
    const found = verified.states.find((each) => each.state === state)
    const isRefuted = learned.refutedStates?.includes(state) === true
    // A card that declares none promises nothing in particular: only what was seen is shown.
    if (found === undefined && !isRefuted && (!isDeclared || learned.card?.declaresStates !== true)) return []
    const card = learned.card?.declaresStates !== true ? 'not declared' : isDeclared ? 'declared' : 'NOT DECLARED'
    const isLost = learned.lostStates?.includes(state) === true
    const probe = isRefuted ? 'NOT CONFIRMED by a fresh client' : found === undefined ? 'not seen' : isLost ? `${found.grade}, LOST at the restart` : found.grade
    return [[state, card, probe]]
  })

const modeRows = ({ card, mediaTypes = [], strayMediaTypes = [] }: ProbeLearned): readonly Row[] => [
  ...(card?.mediaTypes ?? []).map((mediaType): Row => [mediaType, 'offered', mediaTypes.includes(mediaType) ? 'verified' : 'not seen']),
  ...mediaTypes.filter((mediaType) => card?.mediaTypes.includes(mediaType) !== true).map((mediaType): Row => [mediaType, 'offered by a range', 'verified']),
  ...strayMediaTypes.map((mediaType): Row => [mediaType, 'NOT NEGOTIATED', 'emitted']),
]

const behaviours = [
  ['survivesRestart', 'tasks survive a restart', 'after-restart'],
  ['idempotentMessageId', 'the same message twice is one task', 'same-message'],
  ['notFoundHonest', 'an unknown task is a TaskNotFound', 'unknown-task'],
  ['streamReplay', 'a late stream begins with the present state', 'subscribe'],
  ['bindingParity', 'every binding says the same', 'other-binding'],
  ['pushArrives', 'pushes arrive', 'push'],
  ['retentionSeconds', 'ended tasks stay readable', 'retention'],
] as const

const behaviourRows = ({ measured, steps }: ProbeView): readonly Row[] =>
  behaviours.map(([name, says, step]) => {
    const value = measured[name]
    const word = value === true ? 'yes' : value === false ? 'NO' : value === 'unknown' ? 'unknown' : `${value} s`
    return [says, word, steps.find((each) => each.step === step)?.detail ?? '']
  })
