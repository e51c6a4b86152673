import kafkajs from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { isChangeOfGroup, tellsChangeOfGroup } from './group-change.ts'
import { LeftGroup } from './stay-in-group.ts'

const { KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } = kafkajs
const rebalancing = new KafkaJSProtocolError({ type: 'REBALANCE_IN_PROGRESS', code: 27, message: 'The group is rebalancing, so a rejoin is needed' } as never)
const leaderless = new KafkaJSProtocolError({ type: 'NOT_LEADER_FOR_PARTITION', code: 6, message: 'This server is not the leader for that topic-partition' } as never)
const exceeded = (cause: Error) => new KafkaJSNumberOfRetriesExceeded(cause, { retryCount: 3, retryTime: 100 })

describe('a group that changed is no outage', () => {
  test.each([
    [rebalancing, true],
    [exceeded(rebalancing), true],
    [new LeftGroup('ours no more'), true],
    [exceeded(new LeftGroup('ours no more')), true],
    [new LeftGroup('told', { cause: rebalancing }), true],
    [new LeftGroup('nobody answers', { cause: new Error('connect ECONNREFUSED') }), false],
    [leaderless, false],
    [new Error('the store is away'), false],
  ])('%s: %s', (error, isChange) => {
    expect(isChangeOfGroup(error)).toBe(isChange)
  })

  test('nor is what the client logs of it', () => {
    expect(tellsChangeOfGroup({ message: 'Response Heartbeat(key: 12, version: 3)', error: rebalancing.message })).toBe(true)
    expect(tellsChangeOfGroup({ message: `Crash: KafkaJSNumberOfRetriesExceeded: ${new LeftGroup('ours no more').message}` })).toBe(true)
    expect(tellsChangeOfGroup({ message: 'Error when calling eachBatch', error: new LeftGroup('ours no more') })).toBe(true)
    expect(tellsChangeOfGroup({ message: 'Response Metadata(key: 3, version: 6)', error: leaderless.message })).toBe(false)
  })
})
