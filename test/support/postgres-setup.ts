import { randomBytes } from 'node:crypto'
import { migrate } from '@a2a-ledger/infra/migrate'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { newestPostgres, providePostgres, type ProvidedPostgres } from './postgres-provider.ts'

/**
 * Provides PostgreSQL and one migrated template, from which every test file clones its own
 * database. At the end nothing of this run is left on the server, one's own included.
 */
export const setup = (project: TestProject): Promise<() => Promise<void>> => setUpOn(project, providePostgres(newestPostgres))

export async function setUpOn(project: TestProject, provided: Promise<ProvidedPostgres>): Promise<() => Promise<void>> {
  const server = await provided
  console.log(`PostgreSQL ${server.version} from ${server.provider}`)
  const run = `a2a_ledger_test_${randomBytes(4).toString('hex')}`
  const admin = new pg.Client({ connectionString: server.adminUrl })
  await admin.connect()

  const urlOf = (change: Partial<URL>): string => Object.assign(new URL(server.adminUrl), { pathname: `/${run}` }, change).href
  const roles = { ledger: `${run}_ledger`, reconciler: `${run}_reconciler` }
  const urls = {
    adminUrl: urlOf({}),
    ledgerUrl: urlOf({ username: roles.ledger, password: run }),
    reconcilerUrl: urlOf({ username: roles.reconciler, password: run }),
  }
  const teardown = async (): Promise<void> => {
    const { rows } = await admin.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [run])
    for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`)
    for (const role of Object.values(roles)) await admin.query(`drop role if exists ${role}`)
    await admin.end()
    await server.stop()
  }
  try {
    await admin.query(`create database ${run}`)
    await migrate(urls)
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide('postgres', { ...urls, adminUrl: server.adminUrl, templateName: run, version: server.version })
  return teardown
}
