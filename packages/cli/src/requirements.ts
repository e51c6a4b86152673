/** What `--require` can ask for, each judged by what one probe found. */
import { observableStates, type Measured, type ProbeLearned, type ProbeView } from '@a2a-ledger/domain'

export interface Finding {
  readonly view: ProbeView
  readonly learned: ProbeLearned
}

export interface Judged {
  readonly name: string
  readonly isMet: boolean
  readonly because: string
}

type Judge = (finding: Finding) => Omit<Judged, 'name'>

const measured =
  (name: keyof Measured): Judge =>
  ({ view }) => ({ isMet: view.measured[name] === true, because: `${name} is ${String(view.measured[name])}` })

/** Every requirement but the states, with what it means. */
export const requirements: Readonly<Record<string, { readonly says: string; readonly judge: Judge }>> = {
  verified: {
    says: 'the canary came to a state that a fresh client confirmed, and emitted what was negotiated',
    judge: ({ view, learned }) => {
      const stray = learned.strayMediaTypes ?? []
      const confirmed = view.steps.find(({ step }) => step === 'fresh-client')
      if (confirmed?.outcome !== 'ok') return { isMet: false, because: confirmed?.detail ?? 'no task came to rest' }
      return stray.length > 0 ? { isMet: false, because: `it emitted ${stray.join(', ')}` } : { isMet: true, because: confirmed.detail ?? 'confirmed' }
    },
  },
  durable: { says: 'a task that waited was there after a restart; needs --park or --restart', judge: measured('survivesRestart') },
  idempotent: { says: 'the same message twice is one task', judge: measured('idempotentMessageId') },
  'honest-not-found': { says: 'a task that never was is a TaskNotFound', judge: measured('notFoundHonest') },
  'stream-replay': { says: 'a stream that is opened late begins with the present state', judge: measured('streamReplay') },
  push: { says: 'a push arrives; needs --receive-push', judge: measured('pushArrives') },
  parity: { says: 'every binding of the card says the same', judge: measured('bindingParity') },
  'declared-states': {
    says: 'no state came that the card does not declare',
    judge: ({ view, learned }) => {
      const stray = view.verified.states.map(({ state }) => state).filter((state) => learned.card?.states.includes(state) !== true)
      return stray.length === 0 ? { isMet: true, because: 'every state is declared' } : { isMet: false, because: `${stray.join(', ')} is not declared` }
    },
  },
}

/** The names that `--require` takes: those above, and each state, which then has to be confirmed. */
export const requirementNames: readonly string[] = [...Object.keys(requirements), ...observableStates.filter((state) => state !== 'unknown')]

/** One requirement, judged. The name has to be one of `requirementNames`. */
export const judge = (name: string, finding: Finding): Judged => {
  const requirement = requirements[name]
  if (requirement !== undefined) return { name, ...requirement.judge(finding) }
  const found = finding.view.verified.states.find(({ state }) => state === name)
  return { name, isMet: found !== undefined, because: found === undefined ? `${name} was not confirmed` : `${name} is ${found.grade}` }
}
