/** An orchestrator whose calls are told: node packages/witness/examples/orchestrator.ts [agent] [ledger] */
import { SendMessageRequest } from '@a2a-js/sdk'
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { createWitness } from '@a2a-ledger/witness'

const [agentUrl = 'http://127.0.0.1:9000', ledgerUrl = 'http://127.0.0.1:4100'] = process.argv.slice(2)

const witness = createWitness({ source: 'urn:example:orchestrator', to: { ledgerUrl } })
const fetchImpl = witness.fetch({ workerId: 'w1' })
const client = await new ClientFactory({
  transports: [new JsonRpcTransportFactory({ fetchImpl })],
  cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
}).createFromUrl(agentUrl)
const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Write the report.' }] }
await witness.about({ correlationId: 'order-42' }, () => client.sendMessage(SendMessageRequest.fromJSON({ message })))
console.log(JSON.stringify(await witness.stop()))
