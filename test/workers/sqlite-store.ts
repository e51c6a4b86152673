/**
 * The database store of `@a2a-js/sdk` on a SQLite file, with the SQLite that Node brings along: the one store
 * of a vendor that outlives a process and takes no server.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database'
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely'

/** The store in that file; its tables are made as the SDK's own command makes them. */
export function openSqliteStore(file: string): DatabaseTaskStore {
  const isNew = !existsSync(file)
  const database = new DatabaseSync(file)
  if (isNew) database.exec(schema())
  return new DatabaseTaskStore(new Kysely<unknown>({ dialect: new SqliteDialect({ database: asDriver(database) }) }))
}

const schema = (): string => {
  const command = join(import.meta.dirname, '../node_modules/@a2a-js/sdk/dist/cli/a2a_db.js')
  return execFileSync(process.execPath, [command, 'upgrade', '--sql', '--dialect', 'sqlite'], { encoding: 'utf8' })
}

/** What Kysely wants of a driver: parameters as one list, and whether a statement answers rows. */
const asDriver = (database: DatabaseSync): SqliteDatabase => ({
  close: () => database.close(),
  prepare: (sql) => {
    const statement = database.prepare(sql)
    const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...values(parameters)),
      run: (parameters) => statement.run(...values(parameters)),
      iterate: (parameters) => statement.iterate(...values(parameters)),
    }
  },
})
