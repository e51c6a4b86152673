/** A worker whose configuration changed under an unchanged card: node packages/domain/examples/emit-artifact.ts */
import { CapabilityContractError, emitArtifact, type Contract, type TaskRecord } from '@a2a-ledger/domain'

const contract: Contract = {
  advertised: { states: ['working', 'completed'], mediaTypes: ['application/json'] },
  verified: { states: ['working', 'completed'], mediaTypes: ['application/json'] },
}
const task: TaskRecord = { correlationId: 'order-42', lastObserved: 'working', artifacts: [] }

const reported = emitArtifact(task, 'application/json; charset=utf-8', contract)
console.log(reported.artifacts.length)
try {
  emitArtifact(reported, 'text/plain', contract)
} catch (error) {
  if (!(error instanceof CapabilityContractError)) throw error
  console.log(`${error.breach}: ${error.message}`)
}
