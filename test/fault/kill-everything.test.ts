import { describe, expect, it } from 'vitest'
import { checkViews } from './check-views.ts'
import { killEverything } from './kill-everything.ts'

/** The large run is `npm run fault:kill`; this one is the same, smaller. */
describe('SIGKILL of everything while eight writers write', () => {
  const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000)

  it(`every acknowledged event is there once and the views are those of a rebuild (FAULT_SEED=${seed})`, async () => {
    const report = await killEverything({ events: 2_000, writers: 8, tasks: 100, kills: 2, seed, say: () => undefined }, checkViews)
    expect(report).toMatchObject({
      sent: 2_000,
      kills: 2,
      isDense: true,
      isReaderComplete: true,
      misplaced: [],
      repeated: [],
      decidedTwice: [],
    })
    expect(report.recorded + report.duplicates).toBe(2_000)
    expect(report.views).toMatch(/same/u)
  }, 600_000)
})
