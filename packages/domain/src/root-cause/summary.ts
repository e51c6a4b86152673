/** The sentence that comes first: the state, what led to it, whose turn it is, and the worker's words. */
import type { AttemptAnalysis, TaskAnalysis } from '../task/analysis.ts'
import { isInterrupted } from '../task/state.ts'
import { statementsOf, type CaseFile } from './case-file.ts'
import type { Found, Responsible } from './finding.ts'
import { fillIn, named, quotable } from './wording.ts'

/** At most four sentences: state, leading cause and whose turn it is; what nobody saw; a quote; what else was found. */
export const summarise = (file: CaseFile, found: readonly Found[], lead: Found | undefined): string => {
  const attempt = spokesman(file, lead)
  const said = attempt === undefined ? undefined : statementsOf(file, attempt).at(-1)
  const others = [...new Set(found.filter((each) => each !== lead).map(({ cause }) => cause.cause))]
  return [
    `${statePhrase(file.analysis)}${lead === undefined ? reported(file.analysis) : `: ${placeOf(lead)}${fillIn(lead.cause.says, lead.proof)}; ${responsiblePhrase(lead)}`}.`,
    ...(lead?.unwitnessed === undefined ? [] : [lead.unwitnessed]),
    ...(said === undefined ? [] : [`The worker says: "${quotable(said.text)}".`]),
    ...(others.length === 0 ? [] : [`Also found: ${others.slice(0, 5).join(', ')}${others.length > 5 ? ' and more' : ''}.`]),
  ].join(' ')
}

/** The attempt whose words matter: it asks for something, or says why it did not succeed. */
const spokesman = ({ analysis, standing }: CaseFile, lead: Found | undefined): AttemptAnalysis | undefined => {
  if (lead?.cause.cause === 'suspicious_completion' && lead.proof.child === undefined) {
    return analysis.attempts.find(({ workerId, taskId }) => workerId === lead.proof.workerId && taskId === lead.proof.taskId)
  }
  const attempt = standing ?? analysis.current
  if (attempt === undefined || analysis.state === 'completed') return undefined
  return isInterrupted(attempt.state) || isUnsuccessful(attempt.state) ? attempt : undefined
}

const isUnsuccessful = (state: AttemptAnalysis['state']): boolean =>
  state === 'failed' || state === 'canceled' || state === 'rejected'

const statePhrase = ({ state, lastObserved }: TaskAnalysis): string => {
  switch (state) {
    case 'dispatched':
      return 'The task was sent and no worker is known to have taken it (dispatched)'
    case 'indeterminate':
      return lastObserved === undefined
        ? 'The task is indeterminate and no state of it was ever observed'
        : `The task is indeterminate, last observed as ${lastObserved}`
    case 'input-required':
      return 'The task waits for input (input-required)'
    case 'auth-required':
      return 'The task waits for credentials (auth-required)'
    case 'canceled':
    case 'rejected':
      return `The task was ${state}`
    case 'completed':
      return 'The task is completed'
    case 'failed':
      return 'The task has failed'
    case 'submitted':
    case 'working':
      return `The task is ${state}`
    case 'unknown':
      return 'The task is in a state that its worker calls unknown'
  }
}

const reported = ({ canonical, state }: TaskAnalysis): string =>
  canonical?.state === state ? fillIn(', as worker {worker} itself reports', canonical) : ''

const turns: Readonly<Record<Responsible, string>> = {
  worker: 'worker {worker} is responsible',
  platform: 'the platform that runs it is responsible',
  client: 'the client is responsible',
  downstream: 'a tool or peer of the worker is responsible',
  network: 'the network between client and worker is responsible',
  nobody: 'nobody is to blame',
  unknown: 'who is responsible is not known',
}

/** In which child task it began, and by way of which others. */
const placeOf = ({ proof: { child } }: Found): string => {
  if (child === undefined) return ''
  const via = child.via.length === 0 ? '' : ` (by way of ${child.via.map(named).join(', ')})`
  return `it began in the child task ${named(child.correlationId)}${via}: `
}

const responsiblePhrase = ({ responsible, proof, owner }: Found): string =>
  `${fillIn(turns[responsible], proof)}${owner === undefined ? '' : ` (owner: ${quotable(owner)})`}`
