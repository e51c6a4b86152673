import { afterEach, describe, expect, it, vi } from 'vitest'

/** The examples of the guards are run, so that they stay true. */
describe('the examples of the guards', () => {
  afterEach(() => vi.restoreAllMocks())

  it.each([
    ['transition', ['working', 'state_not_advertised: input-required is outside the advertised [submitted, working, completed]']],
    ['emit-artifact', [1, 'media_type_not_advertised: text/plain is outside the advertised [application/json]']],
    [
      'handle-task-not-found',
      [
        { kind: 'redispatch', workerId: 'w3', correlationId: 'order-42' },
        { kind: 'terminal-ok', state: 'completed' },
        'unreconcilable: Task order-42 was input-required when it was last seen and no other worker verifies that state. It is not failed.',
      ],
    ],
  ])('%s prints what it says', async (name, printed) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    await import(`../../examples/${name}.ts`)
    expect(log.mock.calls.map(([line]) => line as unknown)).toEqual(printed)
  })
})
