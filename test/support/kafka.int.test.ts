import { Kafka, logLevel } from 'kafkajs'
import { beforeAll, expect, test } from 'vitest'
import { createTestKafka, startOwnKafka, type OwnKafka } from './index.ts'

let own: OwnKafka
beforeAll(async () => {
  await createTestKafka()
  own = await startOwnKafka()
})

test('the shared broker is one for all, the topic prefixes differ', async () => {
  const [one, other] = await Promise.all([createTestKafka(), createTestKafka()])
  expect(one.brokers).toEqual(other.brokers)
  expect(one.topicPrefix).not.toBe(other.topicPrefix)
  await expect(topicsOf(one.brokers)).resolves.not.toContain(`${one.topicPrefix}ledger`)
})

test('a broker that was killed comes back on its port with its topics', { timeout: 120_000 }, async () => {
  const admin = client(own.brokers).admin()
  await admin.connect()
  await admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 2 }] })
  await admin.disconnect()
  await own.kill()
  await expect(topicsOf(own.brokers)).rejects.toThrow()
  await own.start()
  await expect(topicsOf(own.brokers)).resolves.toContain('kept')
  await own.remove()
})

const client = (brokers: readonly string[]): Kafka =>
  new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING, retry: { retries: 0 } })

async function topicsOf(brokers: readonly string[]): Promise<string[]> {
  const admin = client(brokers).admin()
  await admin.connect()
  try {
    return await admin.listTopics()
  } finally {
    await admin.disconnect()
  }
}
