/** A small run: that it counts right. What it measures is for `npm run bench:proxy`, on a machine that rests. */
import { expect, test } from 'vitest'
import { benchProxy } from './proxy-bench.ts'

test.each([
  ['all is recorded', undefined],
  ['what finds no room is counted', 65_536],
])('calls, callers that hang up, an outage and a stream: %s', { timeout: 300_000 }, async (_fact, spoolBytesMax) => {
  const report = await benchProxy({ calls: 50, concurrency: 4, hangUps: 2, outageSeconds: 3, outageCallsMin: 150, streamSeconds: 3, say: () => undefined, ...(spoolBytesMax !== undefined && { spoolBytesMax }) })
  expect(report).toMatchObject({ failedCalls: 0, outage: { failedCalls: 0 }, stream: { frames: 3 } })
  expect(report.events.recorded + report.events.missing).toBe(report.events.expected)
  expect(report.events.missing > 0).toBe(spoolBytesMax !== undefined)
  expect(report.latencyMs.direct.p50).toBeGreaterThan(0)
})
