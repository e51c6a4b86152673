import { describe, expect, it } from 'vitest'
import { testCodec } from '../testing/codec.ts'
import { approvalEvent, intentEvent, settledEvent } from './intent-event.ts'
import { approvalIdOf, intentIdOf, settledIdOf } from './intent.ts'

describe('V8 what is recorded about acting on a decision', () => {
  it('V8 an intent: named for the try, about the worker that is sent to', () => {
    const data = { decisionId: 'd', purpose: 'redispatch', n: 2, by: 'o1', actor: 'caller', workerId: 'w2', messageId: 'm', ttlMs: 60_000 } as const
    expect(intentEvent(data, 'k', testCodec)).toStrictEqual({
      attributes: {
        specversion: '1.0',
        id: intentIdOf('d', 2, testCodec),
        source: 'urn:a2a-ledger:reconciler',
        type: 'reconciler.dispatch-intent',
        correlationid: 'k',
        workerid: 'w2',
      },
      data,
    })
  })

  it('V8 what became of it: named for the intent', () => {
    const data = { decisionId: 'd', intentId: 'i', outcome: 'sent', taskId: 't-1' } as const
    expect(settledEvent(data, 'k', testCodec)).toStrictEqual({
      attributes: { specversion: '1.0', id: settledIdOf('i', testCodec), source: 'urn:a2a-ledger:reconciler', type: 'reconciler.dispatch-settled', correlationid: 'k' },
      data,
    })
  })

  it('V8 what a person said: named for the decision', () => {
    const data = { decisionId: 'd', answer: 'declined', by: 'ann', because: 'not now' } as const
    expect(approvalEvent(data, 'k', testCodec)).toStrictEqual({
      attributes: { specversion: '1.0', id: approvalIdOf('d', testCodec), source: 'urn:a2a-ledger:reconciler', type: 'reconciler.verdict-approved', correlationid: 'k' },
      data,
    })
  })
})
