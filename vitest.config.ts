import { defineConfig } from 'vitest/config'

const postgresSetup = './test/support/postgres-setup.ts'

/** One project per kind of test: what it needs decides, not where the code lives. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts'],
        },
      },
      {
        test: { name: 'infra', include: ['infra/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        test: { name: 'replay', include: ['test/replay/**/*.test.ts'] },
      },
      {
        test: {
          name: 'int',
          include: ['services/*/test/**/*.int.test.ts', 'test/support/**/*.int.test.ts'],
          globalSetup: [postgresSetup],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.test.ts', 'test/fault/**/*.test.ts'],
          globalSetup: [postgresSetup],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
