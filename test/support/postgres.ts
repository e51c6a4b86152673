import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by the global setup in `postgres-setup.ts`; a database URL with a role's name in it. */
    postgres: {
      readonly templateName: string
      readonly adminUrl: string
      readonly ledgerUrl: string
      readonly reconcilerUrl: string
      readonly version: string
    }
  }
}

export type TestDatabase = {
  readonly name: string
  /** For what a test sets up or inspects behind the service's back. */
  readonly adminUrl: string
  /** As `DATABASE_URL` of the ledger: the role that owns nothing. */
  readonly ledgerUrl: string
  /** As `RECONCILER_DATABASE_URL`. */
  readonly reconcilerUrl: string
  /** Removes it, whoever is connected. Optional: what is left goes at the end of the run. */
  drop(): Promise<void>
}

/** A database of its own, cloned from the migrated template. Call it once per test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { templateName, ...urls } = inject('postgres')
  const name = `${templateName}_${randomBytes(6).toString('hex')}`
  await administer(urls.adminUrl, `create database ${name} template ${templateName}`)
  const urlOf = (url: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href
  return {
    name,
    adminUrl: urlOf(urls.adminUrl),
    ledgerUrl: urlOf(urls.ledgerUrl),
    reconcilerUrl: urlOf(urls.reconcilerUrl),
    drop: () => administer(urls.adminUrl, `drop database if exists ${name} with (force)`),
  }
}

/** A user of PostgreSQL that a test takes something from, with everything that `group` may do. */
export interface TestUser {
  /** Its URL, at the database of the one that was given. */
  readonly url: string
  /** It may not log in any more, or is of `group` no more; its connections are cut. */
  readonly take: (what: 'login' | 'rights') => Promise<void>
  readonly giveBack: (what: 'login' | 'rights') => Promise<void>
  /** Its connections are cut. */
  readonly disconnect: () => Promise<void>
  /** Nothing may be left of it: drop its database first. */
  readonly drop: () => Promise<void>
}

export async function createTestUser(url: string, group: string): Promise<TestUser> {
  const { templateName, adminUrl } = inject('postgres')
  const name = `${templateName}_${randomBytes(6).toString('hex')}`
  const statements = {
    login: { take: `alter role ${name} nologin`, giveBack: `alter role ${name} login` },
    rights: { take: `revoke ${group} from ${name}`, giveBack: `grant ${group} to ${name}` },
  }
  const disconnect = () => administer(adminUrl, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`)
  await administer(adminUrl, `create role ${name} login password 'right' in role ${group}`)
  return {
    url: Object.assign(new URL(url), { username: name, password: 'right' }).href,
    take: async (what) => {
      await administer(adminUrl, statements[what].take)
      await disconnect()
    },
    giveBack: (what) => administer(adminUrl, statements[what].giveBack),
    disconnect,
    drop: () => administer(adminUrl, `drop role ${name}`),
  }
}

async function administer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
