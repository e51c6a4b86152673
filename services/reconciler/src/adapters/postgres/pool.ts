/** Connections to one database, with the types that this service works with. */
import { LedgerError } from '@a2a-ledger/domain'
import { isAccessRefused } from '@a2a-ledger/service-kit/database-access'
import pg from 'pg'

const int8 = 20

/** `bigint` arrives as a number: positions and milliseconds stay below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export interface PoolOptions {
  readonly url: string
  readonly name: string
  readonly connectionsMax: number
  /** Put first in the search path; absent: names are qualified. */
  readonly schema?: string
  /** After this Postgres ends the session of a process that was stopped within a transaction. */
  readonly idleInTransactionMsMax?: number
  /** A connection that nobody uses is not closed. */
  readonly isKeptOpen?: boolean
}

export function createPool({ url, name, connectionsMax, schema, idleInTransactionMsMax, isKeptOpen = false }: PoolOptions): pg.Pool {
  const settings = [
    ...(schema === undefined ? [] : [`-c search_path=${schema}`]),
    ...(idleInTransactionMsMax === undefined ? [] : [`-c idle_in_transaction_session_timeout=${idleInTransactionMsMax}`]),
  ]
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: connectionsMax,
    types,
    keepAlive: true,
    ...(isKeptOpen && { idleTimeoutMillis: 0 }),
    connectionTimeoutMillis: 5_000,
    ...(settings.length > 0 && { options: settings.join(' ') }),
  })
  pool.on('error', () => undefined) // an idle connection that broke: the next use takes another
  // Lost while it is in use: the next query on it fails and says so; without a listener the process ends.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return pool
}

/** SQLSTATE classes that say: somebody else is down or in the way, the same again may work. */
const unavailableClasses = new Set(['08', '40', '53', '55', '57', '58'])
/** This process said nothing within a transaction for too long: it was stopped, or had too much to do. */
const idleInTransaction = '25P03'
/** A server that became a standby, or was made read-only. */
const readOnlyTransaction = '25006'
/** A schema of the search path that we may not use any more is passed over: its tables are not found. */
const undefinedTable = '42P01'

/** True when somebody has to give back what we need: a login, rights, our tables. */
export const isWithheld = (error: unknown): boolean =>
  isAccessRefused(error) || (error instanceof pg.DatabaseError && error.code === undefinedTable)

const isUnavailable = (error: pg.DatabaseError): boolean =>
  error.code === idleInTransaction ||
  error.code === readOnlyTransaction ||
  unavailableClasses.has(error.code?.slice(0, 2) ?? '') ||
  isWithheld(error)

/** Runs `work`; what means that Postgres is away or keeps us out becomes `store_unavailable`. */
export async function withStoreErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asStoreError(error)
  }
}

/** SQLSTATE classes that say: this content cannot be stored, however often it is tried (L6). */
const refusedClasses = new Set(['22', '23', '54'])
/** A row that is there already is a fault of ours, and no fault of the event. */
const uniqueViolation = '23505'

/** True when Postgres will never store what `error` is about. */
export const isRefusal = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError &&
  error.code !== uniqueViolation &&
  refusedClasses.has(error.code?.slice(0, 2) ?? '')

const isProgrammingError = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError

function asStoreError(error: unknown): unknown {
  if (error instanceof LedgerError || isProgrammingError(error)) return error
  if (error instanceof pg.DatabaseError && !isUnavailable(error)) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new LedgerError('store_unavailable', `Postgres: ${detail}`, { cause: error })
}

export type Isolation = 'read committed' | 'repeatable read read only'

/** One transaction; rolled back when `work` throws. */
export async function transaction<Result>(
  pool: pg.Pool,
  isolation: Isolation,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return withStoreErrors(async () => {
    const client = await pool.connect()
    let failure: Error | undefined
    try {
      await client.query(`BEGIN ISOLATION LEVEL ${isolation}`)
      const result = await work(client)
      await client.query('COMMIT')
      return result
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
      await client.query('ROLLBACK').then(
        () => (failure = undefined),
        () => undefined,
      )
      throw error
    } finally {
      client.release(failure)
    }
  })
}
