import { describe, expect, it } from 'vitest'
import { checkViews } from './check-views.ts'
import { kafkaChaos } from './kafka-chaos.ts'

/** The large run is `npm run fault:kafka`; this one is the same, smaller. */
describe('everything of the distributed form dies once while eight writers write', () => {
  const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000)

  it(`every event is there once, the feed has no gap, and the views are those of a rebuild (FAULT_SEED=${seed})`, async () => {
    const report = await kafkaChaos({ events: 1_600, writers: 8, tasks: 80, partitions: 6, pauseMs: 8_000, seed, say: () => undefined }, checkViews)
    expect(report.broken, JSON.stringify(report, null, 2)).toEqual([])
  }, 900_000)
})
