import { describe, expect, it } from 'vitest'
import { redispatchModes, type MeshPolicy, type RedispatchMode } from '../event/mesh-policy.ts'
import { answered, sent, taskAfter, type Line } from '../testing/history.ts'
import { actorIn, modeOf } from './mode.ts'

const ask = (told: Parameters<typeof sent>[0] = {}): readonly Line[] => [sent({ at: 0, ...told }), answered('working', { at: 1 })]
const more = (told: Parameters<typeof sent>[0] = {}): Line => sent({ at: 5, naming: 't-1', sentMessageId: 'm-2', ...told })

describe('V8 the mode of a task', () => {
  it.each<[string, readonly Line[], MeshPolicy | undefined, RedispatchMode]>([
    ['V8 advice, unless anybody says otherwise', ask(), undefined, 'advise'],
    ['V8 advice, where the mesh says nothing of it', ask(), { ratePerMinute: 1 }, 'advise'],
    ['V8 that of its mesh', ask(), { redispatch: 'auto' }, 'auto'],
    ['V8 what its dispatch says counts before the mesh', ask({ redispatch: 'approve' }), { redispatch: 'auto' }, 'approve'],
    ['V8 what the last dispatch says counts', [...ask({ redispatch: 'approve' }), more({ redispatch: 'auto' })], undefined, 'auto'],
    ['V8 a later dispatch that says nothing takes nothing back', [...ask({ redispatch: 'approve' }), more()], { redispatch: 'auto' }, 'approve'],
  ])('%s', (_fact, lines, policy, mode) => {
    expect(modeOf(taskAfter(lines), policy)).toBe(mode)
  })

  it('V8 leaves the sending to its caller, to whoever approves it, or to the ledger', () => {
    expect(redispatchModes.map((mode) => `${mode}: ${actorIn(mode)}`)).toEqual(['advise: caller', 'approve: approver', 'auto: ledger'])
  })
})
