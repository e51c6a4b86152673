import { Kafka, logLevel, type Admin } from 'kafkajs'

/** Lets `work` administer the broker, as an operator of it would, and hangs up. */
export async function withKafkaAdmin<Result>(brokers: readonly string[], work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING, connectionTimeout: 10_000 }).admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}
