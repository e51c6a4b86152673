export { createTestKafka, startGuardedKafka, startOwnKafka, type GuardedKafka, type OwnKafka, type TestKafka } from './kafka.ts'
export { createTestDatabase, type TestDatabase } from './postgres.ts'
export { runService, startService, type ServiceProcess } from './service-process.ts'
export { seededRandom } from './random.ts'
