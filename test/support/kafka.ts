import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { KafkaGuard } from './kafka/guard.ts'
import type { KafkaAnswer } from './kafka-setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by the global setup in `kafka-setup.ts`: where to ask for a broker. */
    kafkaControl: string
  }
}

export type TestKafka = {
  readonly brokers: readonly string[]
  /** `KAFKA_TOPIC_PREFIX` of its own: no topic or group of another test begins with it. */
  readonly topicPrefix: string
}

/** The broker that all tests of this run share; the first to ask waits until it is started. */
export async function createTestKafka(): Promise<TestKafka> {
  return { brokers: (await ask('/shared')).brokers, topicPrefix: newPrefix() }
}

export type OwnKafka = TestKafka & {
  /** SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>
  /** After `kill`: the same broker on the same port, with the data it had. Resolves when it answers. */
  start(): Promise<void>
  /** Optional: what is left goes at the end of the run. */
  remove(): Promise<void>
}

/** A broker of one's own, for tests in which it dies. */
export async function startOwnKafka(): Promise<OwnKafka> {
  const { id, brokers } = await ask('/own')
  const tell = async (action: string): Promise<void> => void (await ask(`/own/${id}/${action}`))
  return {
    brokers,
    topicPrefix: newPrefix(),
    kill: () => tell('kill'),
    start: () => tell('start'),
    remove: () => tell('remove'),
  }
}

export type GuardedKafka = TestKafka & { readonly guard: KafkaGuard }

/** A broker that also listens with TLS and a login; it goes at the end of the run. */
export async function startGuardedKafka(): Promise<GuardedKafka> {
  const { brokers, guard } = await ask('/guarded')
  if (guard === undefined) throw new TypeError('a guarded broker without a guard')
  return { brokers, guard, topicPrefix: newPrefix() }
}

const newPrefix = (): string => `test-${randomBytes(4).toString('hex')}.`

async function ask(path: string): Promise<KafkaAnswer> {
  const response = await fetch(inject('kafkaControl') + path, { method: 'POST' })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as KafkaAnswer
}
