/** The variables of both services that say where Kafka is and how to get in. */
import { z } from 'zod'
import { decimal } from '../environment.ts'
import type { KafkaSettings } from './port.ts'

export const kafkaVariables = {
  KAFKA_BROKERS: z
    .string()
    .regex(/^[^\s,:]+:\d{1,5}(,[^\s,:]+:\d{1,5})*$/, 'must be host:port, several with a comma between')
    .optional()
    .describe('The Kafka brokers; absent: no Kafka, the feed is read from Postgres.'),
  KAFKA_TOPIC_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be letters, digits, dots, hyphens and underscores')
    .default('a2a.')
    .describe('What the names of topics and consumer groups begin with.'),
  KAFKA_TLS: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .describe('Whether brokers are spoken to over TLS, by the certificate authorities that Node trusts.'),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'], { error: 'must be plain, scram-sha-256 or scram-sha-512' })
    .optional()
    .describe('How to log in; absent: not at all.'),
  KAFKA_SASL_USERNAME: z.string().optional().describe('Who logs in.'),
  KAFKA_SASL_PASSWORD: z.string().optional().describe('With which password.'),
}

/** For the service that makes the topics. */
export const topicVariables = {
  KAFKA_PARTITIONS: decimal(1, 10_000).default(6).describe('Partitions of a topic that is created at start.'),
  KAFKA_CREATE_TOPICS: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('true')
    .describe('Whether topics that are absent are created at start; `false`: they are a start-up error.'),
}

type KafkaValues = z.output<z.ZodObject<typeof kafkaVariables>>

/** A mechanism needs a user and a password, and they need it: else nobody would log in with them. */
export const guardSasl = <Schema extends z.ZodType<KafkaValues>>(schema: Schema): Schema =>
  schema
    .refine(
      ({ KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD }) =>
        KAFKA_SASL_MECHANISM === undefined || (KAFKA_SASL_USERNAME !== undefined && KAFKA_SASL_PASSWORD !== undefined),
      { path: ['KAFKA_SASL_MECHANISM'], message: 'needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD', when: () => true },
    )
    .refine(
      ({ KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD }) =>
        KAFKA_SASL_MECHANISM !== undefined || (KAFKA_SASL_USERNAME === undefined && KAFKA_SASL_PASSWORD === undefined),
      { path: ['KAFKA_SASL_MECHANISM'], message: 'is not set, so nobody would log in with KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD', when: () => true },
    )

/** `undefined` where no broker is named. */
export function kafkaSettingsOf(values: KafkaValues, clientId: string): KafkaSettings | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username = '', KAFKA_SASL_PASSWORD: password = '' } = values
  if (values.KAFKA_BROKERS === undefined) return undefined
  return {
    brokers: values.KAFKA_BROKERS.split(','),
    clientId,
    isTls: values.KAFKA_TLS === 'true',
    sasl: mechanism === undefined ? undefined : { mechanism, username, password },
  }
}
