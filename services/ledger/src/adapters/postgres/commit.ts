import type { PoolClient } from 'pg'
import { failureKindOf } from './sqlstate.ts'

/** COMMIT was sent and no plain acknowledgement came back: only the database knows. */
export class CommitUnconfirmed extends Error {
  override readonly name = 'CommitUnconfirmed'
}

/**
 * The transaction on `client` is committed and acknowledged.
 *
 * Throws what PostgreSQL said when it refused, and `CommitUnconfirmed` when the connection was lost,
 * when COMMIT answered ROLLBACK, and when it came with a WARNING: a cancelled wait for a synchronous
 * standby says "committed locally" that way, and local is not what was promised (L1).
 */
export async function commit(client: PoolClient): Promise<void> {
  const warnings: string[] = []
  const listen = ({ severity, message }: { severity?: string | undefined; message?: string | undefined }): void => {
    if (severity === 'WARNING') warnings.push(message ?? 'a warning without text')
  }
  client.on('notice', listen)
  try {
    const { command } = await client.query('COMMIT')
    if (command !== 'COMMIT') throw new CommitUnconfirmed(`COMMIT was answered with ${command}.`)
  } catch (cause) {
    if (cause instanceof CommitUnconfirmed || failureKindOf(cause) !== 'unavailable') throw cause
    throw new CommitUnconfirmed(cause instanceof Error ? cause.message : String(cause), { cause })
  } finally {
    client.off('notice', listen)
  }
  if (warnings.length > 0) throw new CommitUnconfirmed(warnings.join(' '))
}
