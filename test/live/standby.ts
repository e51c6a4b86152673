/** The worker that what is lost can be given to: enrolled with its card trusted, never called. */
import { recordEvent } from '../demo/ledger-witness.ts'
import { callJson } from '../demo/reconciler-client.ts'
import { standby, type Instance } from './kill-and-ask.ts'

const card = {
  name: standby,
  description: 'Writes the quarterly report.',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'http://127.0.0.1:1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [{ id: 'report', name: 'report', description: 'Writes a report.', tags: ['report'], outputModes: ['application/json'] }],
}

export const enrolStandby = async ({ ledgerUrl, reconcilerUrl }: Instance): Promise<void> => {
  const attributes = { type: 'a2a.agent-card', source: 'urn:live:orchestrator', operation: 'GetAgentCard', workerid: standby, httpstatus: '200' }
  await recordEvent(ledgerUrl, attributes, JSON.stringify(card))
  await callJson('PUT', `${reconcilerUrl}/v1/workers/${standby}`, { trust: 'card', owner: 'live' })
}
