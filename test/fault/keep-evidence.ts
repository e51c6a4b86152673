import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRecords } from '../support/read-feed.ts'
import type { Distributed } from './distributed.ts'
import { recordedBy } from './inspect-ledger.ts'

/**
 * Writes what tells how it came about into the deployment's data folder, which is kept then: what
 * every service logged, the ledger's events, the records of the topics, and `report`. The cluster of
 * PostgreSQL is there too. What cannot be read any more says so in its own file.
 */
export async function keepEvidence(deployment: Distributed, report: unknown): Promise<string> {
  const { dataDir, ledgers, reconcilers, broker, topicPrefix } = deployment
  const folder = join(dataDir, 'evidence')
  await mkdir(folder, { recursive: true })
  const lines = async (name: string, read: () => Promise<readonly unknown[]>): Promise<void> => {
    const rows = await read().catch((error: unknown) => [String(error)])
    await writeFile(join(folder, name), rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'))
  }
  const services = Object.entries({ ledger: ledgers, reconciler: reconcilers }).flatMap(([name, all]) =>
    all.map(({ logged }, index) => lines(`${name}-${index}.log`, async () => logged)),
  )
  await Promise.all([
    writeFile(join(folder, 'report.json'), JSON.stringify(report, null, 2)),
    ...services,
    lines('events.ndjson', () => recordedBy(ledgers[0]?.url ?? '')),
    lines('ledger-topic.ndjson', () => readRecords(broker.brokers, `${topicPrefix}ledger`)),
    lines('decisions-topic.ndjson', () => readRecords(broker.brokers, `${topicPrefix}decisions`)),
  ])
  return dataDir
}
