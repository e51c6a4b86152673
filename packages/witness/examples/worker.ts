/** A worker whose tasks are told, and that breaks no promise of its card: node packages/witness/examples/worker.ts [port] [ledger] */
import { AgentCard, Artifact, Task, TaskStatus } from '@a2a-js/sdk'
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { createWitness } from '@a2a-ledger/witness'
import express from 'express'

const [port = '9000', ledgerUrl = 'http://127.0.0.1:4100'] = process.argv.slice(2)

const card = AgentCard.fromJSON({
  name: 'Reports',
  description: 'Writes the report, or asks which one.',
  version: '1.0.0',
  supportedInterfaces: [{ url: `http://127.0.0.1:${port}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {
    streaming: true,
    extensions: [{ uri: 'urn:a2a-ledger:task-continuity:v1', params: { reachableStates: ['working', 'input-required', 'completed', 'failed'] } }],
  },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [{ id: 'report', name: 'report', description: 'Writes a report.', tags: ['report'], outputModes: ['application/json'] }],
})

/** A message that asks for a plain one gets what the card does not offer. */
const executor: AgentExecutor = {
  execute: async ({ taskId, contextId, userMessage }, bus) => {
    const text = userMessage.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(' ')
    const status = (state: string): TaskStatus => TaskStatus.fromJSON({ state: `TASK_STATE_${state}`, timestamp: new Date().toISOString() })
    bus.publish(AgentEvent.task({ ...Task.fromJSON({ id: taskId, contextId, history: [] }), status: status('WORKING') }))
    const part = text.includes('plain') ? { text: 'Quarterly report', mediaType: 'text/plain' } : { data: { title: 'Quarterly report' }, mediaType: 'application/json' }
    const artifact = Artifact.fromJSON({ artifactId: 'report', name: 'report', parts: [part] })
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: {} }))
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(text.includes('ask') ? 'INPUT_REQUIRED' : 'COMPLETED'), metadata: {} }))
  },
  cancelTask: async () => undefined,
}

const witness = createWitness({ source: 'urn:example:w1', to: { ledgerUrl } })
const store = witness.taskStore(new InMemoryTaskStore(), { workerId: 'w1', instance: 'w1-0', guard: { card } })
const requestHandler = new DefaultRequestHandler(card, store, executor)
const app = express()
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }))
app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
app.listen(Number(port), '127.0.0.1', () => console.log('ready'))
process.once('SIGTERM', () => void witness.stop().finally(() => process.exit(0)))
