/** What every route module works with. */
import type { Codec } from '@a2a-ledger/domain'
import type { Metrics } from '@a2a-ledger/service-kit/http'
import type { KafkaHealth, Ledger, LedgerReader, Via } from '../../app/ports.ts'

export interface Edge {
  readonly ledger: Ledger
  readonly reader: LedgerReader
  readonly codec: Codec
  readonly metrics: Metrics
  /** Counts one input by what became of it. */
  readonly countInput: (via: Via, outcome: string) => void
  /** `undefined`: there is no Kafka. */
  readonly kafkaHealth: () => KafkaHealth | undefined
}
