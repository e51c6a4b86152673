import { describe, expect, it } from 'vitest'
import { gradeLifetimeMs } from '../capability/verified.ts'
import { card, ms, probed, sent, workersOf, type Line } from '../testing/history.ts'
import { isKnownAgain, isRepeatHarmless, measuredWindowMs } from './repeat.ts'

const workerOf = (lines: readonly Line[]) => workersOf(lines).find(({ workerId }) => workerId === 'w1')
const seen = (idempotentMessageId: boolean, at = 2): Line => probed({ measured: { idempotentMessageId } }, { at })
const knowing = (told: Parameters<typeof card>[0] = {}): Line => card({ at: 1, idempotencyKey: 'messageId', ...told })
const weekS = gradeLifetimeMs.verified / 1_000
const windowS = measuredWindowMs / 1_000

describe('V8 whether the same message once more does no harm', () => {
  it.each<[string, readonly Line[], boolean]>([
    ['V8 nothing declared: it does', [card({ at: 1 })], false],
    ['V8 no card: it does', [sent({ at: 1 })], false],
    ['V8 the worker knows messages by their id', [knowing()], true],
    ['V8 the worker knows work by its correlation ID', [card({ at: 1, idempotencyKey: 'correlationId' })], true],
    ['V8 the worker says that it knows nothing again', [card({ at: 1, idempotencyKey: 'none' })], false],
    ['V8 the work may be repeated', [card({ at: 1, redispatchSafety: 'safe' })], true],
    ['V8 the work is idempotent', [card({ at: 1, redispatchSafety: 'idempotent' })], true],
    ['V8 the work must not be repeated', [card({ at: 1, redispatchSafety: 'unsafe' })], false],
    ['V8 the newest card counts', [card({ at: 1, redispatchSafety: 'safe' }), card({ at: 2 })], false],
    ['V8 a card that comes later does not count yet', [card({ at: 200, redispatchSafety: 'safe' })], false],
    ['V8 a probe saw it known: also where the card declares nothing', [card({ at: 1 }), seen(true)], true],
    ['V8 a probe saw it begin a second task, whatever the card claims', [knowing(), seen(false)], false],
    ['V8 or claims of whole work', [card({ at: 1, idempotencyKey: 'correlationId' }), seen(false)], false],
    ['V8 work that may be repeated may be, known again or not', [card({ at: 1, redispatchSafety: 'safe' }), seen(false)], true],
    ['V8 a worker that says that it knows nothing again is believed before a probe', [card({ at: 1, idempotencyKey: 'none' }), seen(true)], false],
    ['V8 the newest probe counts', [card({ at: 1 }), seen(false, 2), seen(true, 3)], true],
    ['V8 a probe of another card says nothing of this one', [card({ at: 1 }), seen(true), card({ at: 3, essenceDigest: 'essence 2' })], false],
    ['V8 nor does it refute this one', [card({ at: 1 }), seen(false), knowing({ at: 3, essenceDigest: 'essence 2' })], true],
    ['V8 within the window of the card', [knowing({ idempotencyWindowMs: 60_000 })], true],
    ['V8 not beyond it', [knowing({ idempotencyWindowMs: 59_999 })], false],
    ['V8 not beyond it, also where a probe saw it known', [knowing({ idempotencyWindowMs: 59_999 }), seen(true)], false],
  ])('%s', (_fact, lines, isHarmless) => {
    expect(isRepeatHarmless(workerOf(lines), { sentMs: ms(40), againMs: ms(100) })).toBe(isHarmless)
  })

  it.each<[string, readonly Line[], number, number, boolean]>([
    ['V8 what a probe saw holds for ten minutes after the first send', [card({ at: 1 }), seen(true)], 10, 10 + windowS, true],
    ['V8 and no longer', [card({ at: 1 }), seen(true)], 10, 10.001 + windowS, false],
    ['V8 where nothing is known not even for a moment', [card({ at: 1 })], 10, 10, false],
    ['V8 what a card claims without an end holds longer', [knowing()], 10, 10 + 10 * windowS, true],
    ['V8 that it is known counts while the grade of the probe does', [card({ at: 1 }), seen(true)], weekS, 1.999 + weekS, true],
    ['V8 and then no more', [card({ at: 1 }), seen(true)], weekS, 2 + weekS, false],
    ['V8 then the card counts alone', [knowing(), seen(true)], weekS, 2 + weekS, true],
    ['V8 that it is not known does not fade', [knowing(), seen(false)], weekS, 2 + weekS, false],
  ])('%s', (_fact, lines, sentAt, againAt, isHarmless) => {
    expect(isRepeatHarmless(workerOf(lines), { sentMs: ms(sentAt), againMs: ms(againAt) })).toBe(isHarmless)
  })

  it('V8 nobody measured: nobody knows', () => {
    expect([isKnownAgain(undefined, ms(1)), isKnownAgain(workerOf([card({ at: 1 })]), ms(9)), isKnownAgain(workerOf([card({ at: 1 }), seen(false)]), ms(9))]).toEqual([undefined, undefined, false])
  })
})
