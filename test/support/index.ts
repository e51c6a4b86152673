export { createTestKafka, startOwnKafka, type OwnKafka, type TestKafka } from './kafka.ts'
export { createTestDatabase, type TestDatabase } from './postgres.ts'
export { followParentPath } from '@a2a-ledger/infra/node24'
