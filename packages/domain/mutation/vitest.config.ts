import { defineConfig } from 'vitest/config'

/** What says how facts are told, folded, decided on and explained; wire formats and envelopes have tests of their own. */
const folders = ['artifact', 'capability', 'fact', 'invariant', 'media-type', 'reconcile', 'root-cause', 'task']

export default defineConfig({
  test: {
    include: folders.map((folder) => `packages/domain/src/${folder}/**/*.test.ts`),
    isolate: false,
    env: { FC_SEED: '1', FC_RUNS: '10' }, // the same random histories for every mutant
    testTimeout: 60_000,
  },
})
