/** A feed topic as the ledger's relay fills it, from the ledger's own view, without a ledger running. */
import { partitionOf, type Kafka, type OutgoingRecord } from '@a2a-ledger/service-kit/kafka'
import type pg from 'pg'

export interface FeedTopic {
  /** Publishes what was recorded since the last call, and watermarks; positions in `left` are left out. */
  readonly publish: (left?: readonly number[]) => Promise<void>
  /** Publishes again from behind `position`, as a relay does that died before its cursor moved. */
  readonly goBackTo: (position: number) => void
  readonly send: (records: readonly OutgoingRecord[]) => Promise<void>
}

interface Row {
  readonly ledger_id: string
  readonly epoch: number
  readonly position: string
  readonly recorded_at_ms: string
  readonly attributes: Readonly<Record<string, string>>
  readonly correlation_id: string
  readonly rung: string
  readonly digest: string
  readonly data: Buffer
}

const referenceBytesMin = 1_000

export async function createFeedTopic(kafka: Pick<Kafka, 'topics' | 'producer'>, admin: pg.Client, topic: string, partitionCount: number): Promise<FeedTopic> {
  await kafka.topics.create(topic, partitionCount, {})
  await admin.query('INSERT INTO ledger.relay (topic, term) VALUES ($1, 1) ON CONFLICT DO NOTHING', [topic])
  await admin.query(
    'INSERT INTO ledger.relay_partition (topic, partition) SELECT $1, generate_series(0, $2::integer - 1) ON CONFLICT DO NOTHING',
    [topic, partitionCount],
  )
  const history: { readonly position: number; readonly partition: number }[] = []
  let published = 0
  const prevOf = (partition: number, position: number): number =>
    history.findLast((each) => each.partition === partition && each.position < position)?.position ?? 0

  const send = async (records: readonly OutgoingRecord[]): Promise<void> => {
    if (records.length > 0) await kafka.producer.send(topic, records)
  }
  return {
    send,
    goBackTo: (position) => {
      published = position
    },
    publish: async (left = []) => {
      const { rows } = await admin.query<Row>('SELECT * FROM ledger.feed_v1 WHERE position > $1 ORDER BY position', [published])
      const records: OutgoingRecord[] = []
      const identity = await admin.query<{ ledger_id: string; epoch: number }>('SELECT ledger_id, epoch FROM ledger.identity')
      const { ledger_id: ledgerId = '', epoch = 0 } = identity.rows[0] ?? {}
      const origin = { ce_ledgerid: ledgerId, ce_epoch: String(epoch), ce_relayterm: '1' }
      for (const row of rows) {
        const position = Number(row.position)
        const partition = partitionOf(row.correlation_id, partitionCount)
        const isLarge = row.data.length > referenceBytesMin
        const attributes = Object.fromEntries(Object.entries(row.attributes).map(([name, value]) => [`ce_${name}`, value]))
        const record = {
          partition,
          key: row.correlation_id,
          value: isLarge ? new Uint8Array() : row.data,
          headers: {
            ...attributes,
            ...origin,
            ce_position: String(position),
            ce_prev: String(prevOf(partition, position)),
            ce_recordedat: new Date(Number(row.recorded_at_ms)).toISOString(),
            ce_digest: row.digest,
            ledger_rung: row.rung,
            ...(isLarge && { ce_dataref: `/v1/events/${position}/data` }),
          },
        }
        if (!history.some((each) => each.position === position)) history.push({ position, partition })
        if (!left.includes(position)) records.push(record)
        published = position
      }
      for (let partition = 0; partition < partitionCount; partition += 1) {
        records.push({
          partition,
          key: undefined,
          value: new Uint8Array(),
          headers: { ...origin, ce_type: 'ledger.watermark', ce_prev: String(prevOf(partition, published + 1)), ce_through: String(published) },
        })
      }
      await send(records)
    },
  }
}
