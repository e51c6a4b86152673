/**
 * Whether the feed's topics are still those that were published to, and the ledger still the one
 * that was (P3, L7). Read at start by every ledger and by a relay that takes over.
 *
 * A topic shorter than what was written was deleted and made again. A topic that knows more than
 * the ledger, a later term or an event at a position where the ledger has another one, belongs to a
 * ledger that was restored to an earlier state: the last record of each partition tells.
 *
 * The order of reading makes this safe beside a relay that is publishing: what may lag is read
 * first.
 */
import type { KafkaRecord, KafkaTopics } from '@a2a-ledger/service-kit/kafka'
import type { LedgerReader } from '../../app/ports.ts'
import type { PartitionCursor, RelayStore } from '../../app/relay-store.ts'
import type { TopicNames } from './topics.ts'

export interface CheckFeedOptions {
  readonly topics: KafkaTopics
  readonly store: RelayStore
  readonly reader: Pick<LedgerReader, 'identity'>
  readonly names: Pick<TopicNames, 'ledger' | 'decisions'>
}

/** Every problem, one sentence each; none: the relay may go on. Errors: throws when Kafka or Postgres does not answer. */
export async function checkFeed({ topics, store, reader, names }: CheckFeedOptions): Promise<readonly string[]> {
  const cursors = await store.partitions([names.ledger, names.decisions])
  const problems: string[] = []
  const longer = new Map<number, number>()
  for (const topic of [names.ledger, names.decisions]) {
    const stored = cursors.filter((cursor) => cursor.topic === topic)
    const description = await topics.describe(topic)
    if (description === undefined) {
      if (stored.length > 0) problems.push(`The topic ${topic} was deleted. ${remedy}`)
      continue
    }
    if (description.partitionCount < stored.length) {
      problems.push(
        `The topic ${topic} has ${description.partitionCount} partitions, and ${stored.length} were published to: ` +
          'it is another topic of that name, or needs the others back.',
      )
      continue
    }
    const ranges = await topics.offsets(topic)
    const shorter = stored.find(({ partition, nextOffset }) => (ranges.get(partition)?.high ?? 0) < nextOffset)
    if (shorter !== undefined) problems.push(recreated(shorter, ranges.get(shorter.partition)?.high ?? 0))
    else if (topic === names.ledger) {
      for (const [partition, { low, high }] of ranges) {
        const nextOffset = stored.find((cursor) => cursor.partition === partition)?.nextOffset ?? 0
        if (high > Math.max(low, nextOffset)) longer.set(partition, high - 1)
      }
    }
  }
  if (problems.length > 0) return problems
  const lastRecords = await topics.recordsAt(names.ledger, longer, `${names.ledger}-check`)
  for (const record of lastRecords.values()) {
    const problem = await problemOf(record, store, reader, names.ledger)
    if (problem !== undefined) return [problem]
  }
  return []
}

const remedy = 'Use another KAFKA_TOPIC_PREFIX, or remove its rows from ledger.relay and ledger.relay_partition to publish it anew.'

export const recreated = ({ topic, partition, nextOffset }: PartitionCursor, high: number): string =>
  `The topic ${topic} was deleted and made again: partition ${partition} ends at offset ${high}, and ${nextOffset} was written. ${remedy}`

async function problemOf(
  record: KafkaRecord,
  store: RelayStore,
  reader: Pick<LedgerReader, 'identity'>,
  topic: string,
): Promise<string | undefined> {
  const headers = new Map(record.headers.map(([name, value]) => [name, Buffer.from(value).toString('utf8')]))
  const number = (name: string): number => Number(headers.get(name) ?? 0)
  const { ledgerId, epoch, head } = await reader.identity()
  const published = headers.get('ce_ledgerid')
  if (published === undefined) return `The topic ${topic} has records that are none of a ledger. ${remedy}`
  if (published !== ledgerId) return `The topic ${topic} is of ledger ${published}, and this is ${ledgerId}. ${remedy}`
  if (number('ce_epoch') < epoch) return undefined
  const rewound = (what: string): string =>
    `The database was restored to an earlier state: the topic ${topic} ${what}. Restore the newest state; or, to go on from ` +
    'this one, stop everything, raise the epoch in ledger.identity and rebuild the reconcilers.'
  if (number('ce_epoch') > epoch) return rewound(`is of epoch ${number('ce_epoch')}, the ledger of ${epoch}`)
  const term = (await store.current(topic))?.term ?? 0
  if (number('ce_relayterm') > term) return rewound(`was published to in term ${number('ce_relayterm')}, and the ledger knows ${term}`)
  const position = Math.max(number('ce_position'), number('ce_through'))
  if (position > head) return rewound(`has position ${position}, and the ledger ends at ${head}`)
  if (position === 0) return undefined
  const [event] = await store.events(position - 1, 0)
  const recordedAt = event === undefined ? undefined : new Date(event.recordedAtMs).toISOString()
  return recordedAt === headers.get('ce_recordedat')
    ? undefined
    : rewound(`has position ${position} recorded at ${headers.get('ce_recordedat')}, the ledger at ${recordedAt}`)
}
