import { beforeAll, expect, test } from 'vitest'
import { createTestKafka, startOwnKafka, withKafkaAdmin, type OwnKafka } from './index.ts'

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
  // The client's own wait for leaders fails on a young topic.
  await withKafkaAdmin(own.brokers, (admin) => admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 2 }], waitForLeaders: false }))
  await expect.poll(() => topicsOf(own.brokers)).toContain('kept')
  await own.kill()
  await expect(topicsOf(own.brokers)).rejects.toThrow()
  await own.start()
  await expect.poll(() => topicsOf(own.brokers)).toContain('kept')
  await own.remove()
})

const topicsOf = (brokers: readonly string[]): Promise<string[]> => withKafkaAdmin(brokers, (admin) => admin.listTopics())
