/** A worker that refuses to enter a state its card does not declare: node packages/domain/examples/transition.ts */
import { CapabilityContractError, transition, type Contract, type TaskRecord } from '@a2a-ledger/domain'

const contract: Contract = {
  advertised: { states: ['submitted', 'working', 'completed'], mediaTypes: ['text/plain'] },
  verified: { states: ['submitted', 'working', 'completed'], mediaTypes: ['text/plain'] },
}
const task: TaskRecord = { correlationId: 'order-42', lastObserved: 'submitted', artifacts: [] }

const working = transition(task, 'working', contract)
console.log(working.lastObserved)
try {
  transition(working, 'input-required', contract)
} catch (error) {
  if (!(error instanceof CapabilityContractError)) throw error
  console.log(`${error.breach}: ${error.message}`)
}
