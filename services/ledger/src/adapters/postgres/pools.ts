/**
 * The connections of the ledger, all of them working as `a2a_ledger_service`, which owns nothing.
 *
 * One connection appends: the lock would make a second one wait. The others read and wake readers.
 */
import pg from 'pg'

export interface Pools {
  readonly writer: pg.Pool
  readonly reader: pg.Pool
  readonly end: () => Promise<void>
}

export interface PoolOptions {
  readonly databaseUrl: string
  readonly readersMax: number
  readonly connectTimeoutMs: number
  readonly lockTimeoutMs: number
  /** Told of connections that broke while idle; the pool replaces them by itself. */
  readonly report: (problem: Error) => void
}

/** Name of the sessions in `pg_stat_activity`; only such a session is ever terminated (L5). */
export const applicationName = 'a2a-ledger'

/** Pools that connect when first used. */
export function createPools(options: PoolOptions): Pools {
  const pool = (max: number): pg.Pool => {
    const created = new pg.Pool({
      connectionString: options.databaseUrl,
      application_name: applicationName,
      max,
      connectionTimeoutMillis: options.connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      onConnect: (client) => prepareSession(client, options.lockTimeoutMs),
    })
    created.on('error', options.report)
    return created
  }
  const [writer, reader] = [pool(1), pool(options.readersMax)]
  return { writer, reader, end: async () => void (await Promise.all([writer.end(), reader.end()])) }
}

/**
 * The server side of L1 and L5: commits wait for the disk whatever the database defaults to, and a
 * session whose client is gone does not keep the append lock.
 */
async function prepareSession(client: pg.ClientBase, lockTimeoutMs: number): Promise<void> {
  // Lost while it is in use: the query on it fails and says so; without a listener the process ends.
  client.on('error', () => undefined)
  await client.query(`
    SET ROLE a2a_ledger_service;
    SET TIME ZONE 'UTC';
    SET lock_timeout = ${lockTimeoutMs};
    SET idle_in_transaction_session_timeout = 30000;
    SET tcp_keepalives_idle = 10;
    SET tcp_keepalives_interval = 5;
    SET tcp_keepalives_count = 3;
    SELECT set_config('synchronous_commit', 'on', false)
      WHERE current_setting('synchronous_commit') IN ('off', 'local')`)
}
