// Kafka for the tests of one run, started when the first of them asks, and gone at the end.
//
// Tests run in other processes than this one, which outlives them. So it owns every broker, and
// answers on a loopback port: `POST /shared` for the broker of all, `POST /own` for one of the
// caller's own, `POST /own/<n>/start|kill|remove` for what happens to that one, `POST /guarded` for
// one with TLS and a login.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestProject } from 'vitest/node'
import type { KafkaBroker } from './kafka/broker.ts'
import type { KafkaGuard } from './kafka/guard.ts'
import { provideKafka, startKafkaBroker, startKafkaWithGuard, type ProvidedKafka } from './kafka-provider.ts'

export interface KafkaAnswer {
  readonly brokers: readonly string[]
  readonly id?: number
  readonly guard?: KafkaGuard
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let shared: Promise<ProvidedKafka> | undefined
  const own: Promise<KafkaBroker>[] = []

  const answer = async (path: string): Promise<KafkaAnswer> => {
    if (path === '/shared') {
      shared ??= provideKafka().then((kafka) => {
        console.log(`Apache Kafka ${kafka.version} from ${kafka.provider}`)
        return kafka
      })
      return { brokers: (await shared).brokers }
    }
    if (path === '/own') {
      const id = own.push(startKafkaBroker()) - 1
      return { id, brokers: (await own[id])?.brokers ?? [] }
    }
    if (path === '/guarded') {
      const starting = startKafkaWithGuard()
      own.push(starting)
      const { brokers, guard, version } = await starting
      console.log(`Apache Kafka ${version} from local process, with TLS and a login`)
      return { brokers, guard }
    }
    const [, id = '', action = ''] = /^\/own\/(\d+)\/(start|kill|remove)$/.exec(path) ?? []
    const broker = await own[Number(id)]
    if (broker === undefined || !isAction(action)) throw new Error(`There is no ${path}.`)
    await broker[action]()
    return { brokers: broker.brokers }
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    answer(request.url ?? '').then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => {
        response.statusCode = 500
        response.end(error instanceof Error ? error.message : String(error))
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port')
  project.provide('kafkaControl', `http://127.0.0.1:${address.port}`)

  return async () => {
    server.close()
    server.closeAllConnections()
    const ended = await Promise.allSettled([shared?.then(({ stop }) => stop()), ...own.map(async (broker) => (await broker).remove())])
    for (const { reason } of ended.filter((end) => end.status === 'rejected')) console.log(`Kafka: ${String(reason)}`)
  }
}

const isAction = (text: string): text is 'start' | 'kill' | 'remove' => ['start', 'kill', 'remove'].includes(text)
