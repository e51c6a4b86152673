import type { TestProject } from 'vitest/node'
import { oldestPostgres, providePostgres } from './postgres-provider.ts'
import { setUpOn } from './postgres-setup.ts'

/** As `postgres-setup.ts`, on the oldest PostgreSQL that is supported. */
export const setup = (project: TestProject): Promise<() => Promise<void>> => setUpOn(project, providePostgres(oldestPostgres))
