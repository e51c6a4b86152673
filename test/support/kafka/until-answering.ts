import { setTimeout as delay } from 'node:timers/promises'
import { Kafka, logLevel } from 'kafkajs'

/** The cluster tells its brokers. Throws the last failure after `timeoutMs`. */
export async function untilAnswering(brokers: readonly string[], timeoutMs = 60_000): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs
  for (;;) {
    const admin = new Kafka({
      clientId: 'a2a-ledger-test',
      brokers: [...brokers],
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
    }).admin()
    try {
      await admin.connect()
      const { controller } = await admin.describeCluster()
      if (controller !== null && controller >= 0) return
      throw new Error('The cluster has no controller yet.')
    } catch (cause) {
      if (Date.now() > deadlineMs) throw new Error(`Kafka at ${brokers.join(',')} does not answer.`, { cause })
      await delay(200)
    } finally {
      await admin.disconnect()
    }
  }
}
