/** An orchestrator that is told TaskNotFound: node packages/domain/examples/handle-task-not-found.ts */
import { CapabilityContractError, handleTaskNotFound, type Capabilities, type TaskRecord } from '@a2a-ledger/domain'

const task: TaskRecord = { correlationId: 'order-42', taskId: 't-1', lastObserved: 'input-required', artifacts: [] }
const w2: Capabilities = { states: ['completed'], mediaTypes: ['text/plain'] }
const w3: Capabilities = { states: ['working', 'input-required', 'completed'], mediaTypes: ['application/json'] }

console.log(handleTaskNotFound(task, new Map([['w2', w2], ['w3', w3]])))
console.log(handleTaskNotFound({ ...task, lastObserved: 'completed' }, new Map()))
try {
  handleTaskNotFound(task, new Map([['w2', w2]]))
} catch (error) {
  if (!(error instanceof CapabilityContractError)) throw error
  console.log(`${error.breach}: ${error.message}`)
}
