import { expect, test } from 'vitest'
import { z } from 'zod'
import { readEnvironment } from '../environment.ts'
import { guardSasl, kafkaSettingsOf, kafkaVariables, topicVariables } from './environment.ts'

const schema = guardSasl(z.object({ ...kafkaVariables, ...topicVariables }))
const settings = (environment: Record<string, string>) => {
  const reading = readEnvironment(schema, environment)
  return reading.outcome === 'ok' ? kafkaSettingsOf(reading.values, 'me') : reading.problems
}

test('without brokers there is no Kafka, whatever else is set', () => {
  expect(settings({ KAFKA_TLS: 'true', KAFKA_TOPIC_PREFIX: 'b.' })).toBeUndefined()
})

test('brokers, TLS and a login are what the environment says', () => {
  expect(
    settings({
      KAFKA_BROKERS: 'one:9092,two:9093',
      KAFKA_TLS: 'true',
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: 'u',
      KAFKA_SASL_PASSWORD: 'p',
    }),
  ).toEqual({
    brokers: ['one:9092', 'two:9093'],
    clientId: 'me',
    isTls: true,
    sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
  })
  expect(settings({ KAFKA_BROKERS: 'one:9092' })).toEqual({ brokers: ['one:9092'], clientId: 'me', isTls: false, sasl: undefined })
})

test.each([
  [{ KAFKA_BROKERS: 'one' }, 'KAFKA_BROKERS must be host:port, several with a comma between'],
  [{ KAFKA_TOPIC_PREFIX: 'a b' }, 'KAFKA_TOPIC_PREFIX must be letters, digits, dots, hyphens and underscores'],
  [{ KAFKA_PARTITIONS: '0' }, 'KAFKA_PARTITIONS must be a whole number from 1 to 10000'],
  [{ KAFKA_CREATE_TOPICS: 'no' }, 'KAFKA_CREATE_TOPICS must be true or false'],
  [{ KAFKA_TLS: '1' }, 'KAFKA_TLS must be true or false'],
  [{ KAFKA_SASL_MECHANISM: 'gssapi', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }, 'KAFKA_SASL_MECHANISM must be plain, scram-sha-256 or scram-sha-512'],
  [{ KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u' }, 'KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'],
  [{ KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }, 'KAFKA_SASL_MECHANISM is not set, so nobody would log in with KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'],
  [{ KAFKA_SASL_PASSWORD: 'p' }, 'KAFKA_SASL_MECHANISM is not set, so nobody would log in with KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'],
])('%j is refused', (environment, problem) => {
  expect(settings(environment)).toEqual([problem])
})
