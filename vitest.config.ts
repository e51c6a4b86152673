import { defineConfig } from 'vitest/config'
import { nodeFlags } from './infra/launch/node24.cjs'

const postgresSetup = './test/support/postgres-setup.ts'
const oldestPostgresSetup = './test/support/oldest-postgres-setup.ts'
const kafkaSetup = './test/support/kafka-setup.ts' // starts nothing until a test asks

/** What is said to PostgreSQL, migrations included, is said to the oldest version as well. */
const onOldestPostgres = [
  'services/ledger/test/{postgres-ledger,append-lock,append-only,durability,poison,schema}.int.test.ts',
  'services/reconciler/test/{settle,rebuild,pool,schema}.int.test.ts',
]

/** The first run on a machine downloads a Kafka broker when a hook asks for it. */
const hookTimeout = 300_000

/** How long a condition is awaited: long enough for a machine that does other things as well. */
const expect = { poll: { timeout: 60_000 } }

/** How long a test may take: what is slow is not wrong, and what hangs ends. */
const testTimeout = 240_000

/** One project per kind of test: what it needs decides, not where the code lives. */
export default defineConfig({
  test: {
    maxWorkers: 2, // most of a test's time is waiting for a service; one worker would wait for each in turn
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false, // pure functions leave nothing behind, and a hundred files load the domain once
          include: ['packages/*/{src,mutation}/**/*.test.ts', 'services/*/src/**/*.test.ts'],
          testTimeout,
          hookTimeout,
          expect,
        },
      },
      {
        test: { name: 'infra', include: ['infra/**/*.test.ts'], testTimeout, hookTimeout, expect },
      },
      {
        test: { name: 'replay', include: ['test/replay/**/*.test.ts', 'test/fuzz/**/*.test.ts'], testTimeout, hookTimeout, expect },
      },
      {
        test: {
          name: 'int',
          include: ['{packages,services}/*/test/**/*.int.test.ts', 'test/support/**/*.int.test.ts'],
          globalSetup: [postgresSetup, kafkaSetup],
          execArgv: [...nodeFlags],
          testTimeout,
          hookTimeout,
          expect,
        },
      },
      {
        test: {
          name: 'oldest-postgres',
          include: onOldestPostgres,
          globalSetup: [oldestPostgresSetup],
          execArgv: [...nodeFlags],
          testTimeout,
          hookTimeout,
          expect,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.test.ts', 'test/fault/**/*.test.ts', 'test/bench/**/*.test.ts'],
          globalSetup: [postgresSetup, kafkaSetup],
          execArgv: [...nodeFlags],
          testTimeout,
          hookTimeout,
          expect,
        },
      },
    ],
  },
})
