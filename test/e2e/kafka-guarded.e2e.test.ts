/** A Kafka that speaks TLS alone and asks for a login, as services are told of it by environment. */
import { createTestDatabase, startGuardedKafka, type GuardedKafka } from '@a2a-ledger/test/support'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { createService, type MortalService } from '../support/mortal-service.ts'

let broker: GuardedKafka
beforeAll(async () => {
  broker = await startGuardedKafka()
})

let services: readonly MortalService[] = []
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()))
})

let deploymentCount = 0
async function deploy(change: Readonly<Record<string, string>>): Promise<{ readonly ledger: MortalService; readonly reconciler: MortalService }> {
  const database = await createTestDatabase()
  const { guard } = broker
  const shared = {
    DATABASE_URL: database.ledgerUrl,
    KAFKA_BROKERS: guard.brokers.join(','),
    KAFKA_TOPIC_PREFIX: `${broker.topicPrefix}${(deploymentCount += 1)}.`,
    KAFKA_PARTITIONS: '1',
    KAFKA_TLS: 'true',
    KAFKA_SASL_USERNAME: guard.username,
    KAFKA_SASL_PASSWORD: guard.password,
    NODE_EXTRA_CA_CERTS: guard.certificatePath,
    ...change,
  }
  const ledger = await createService('ledger', shared)
  const reconciler = await createService('reconciler', { ...shared, RECONCILER_DATABASE_URL: database.reconcilerUrl, LEDGER_URL: ledger.url })
  services = [ledger, reconciler]
  return { ledger, reconciler }
}

const event = {
  specversion: '1.0', id: 'e-1', source: 'urn:test', type: 'a2a.response', operation: 'GetTask', workerid: 'w', taskid: 't', correlationid: 'c',
  data: { result: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } },
}

test.each(['plain', 'scram-sha-256', 'scram-sha-512'])('%s over TLS: what is recorded is relayed and applied', async (mechanism) => {
  const { ledger, reconciler } = await deploy({ KAFKA_SASL_MECHANISM: mechanism })
  await Promise.all([ledger.start(), reconciler.start()])
  const headers = { 'content-type': 'application/cloudevents+json' }
  expect((await fetch(`${ledger.url}/v1/events`, { method: 'POST', headers, body: JSON.stringify(event) })).status).toBe(200)
  const view = async () => (await fetch(`${reconciler.url}/v1/tasks/c`)).json()
  await expect.poll(view, { timeout: 60_000 }).toMatchObject({ state: 'working', appliedPosition: 1 })
})

test.each([
  ['a wrong password', { KAFKA_SASL_PASSWORD: 'another' }, /[Aa]uthentication failed.*"msg":"waiting for Kafka"/],
  ['a certificate that nobody vouches for', { NODE_EXTRA_CA_CERTS: '' }, /self-signed certificate.*"msg":"waiting for Kafka"/],
  ['no TLS', { KAFKA_TLS: 'false' }, /(Connection|Closed|timeout).*"msg":"waiting for Kafka"/],
])('%s is said, and the ledger records meanwhile', async (_, change, reason) => {
  const { ledger } = await deploy({ KAFKA_SASL_MECHANISM: 'scram-sha-256', ...change })
  await ledger.start()
  // A busy broker may not answer in time at first; it is said again every ten seconds.
  await expect.poll(() => ledger.logged.join('\n'), { timeout: 60_000 }).toMatch(reason)
  const answer = await fetch(`${ledger.url}/readyz`)
  expect(await answer.json()).toMatchObject({ ready: true, kafka: { ingest: { status: 'connecting' }, relay: { status: 'connecting' } } })
})
