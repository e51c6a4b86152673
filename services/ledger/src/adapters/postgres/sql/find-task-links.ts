import type { TaskLink, Taught } from '@a2a-ledger/domain'
import type { ClientBase, Pool } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'

/** The newest links of each task, newest first (K2). Primary key of `task_link`, backwards. */
export async function findTaskLinks(
  client: ClientBase | Pool,
  tasks: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly TaskLink[]>> {
  const { rows } = await client.query<{ task: string; correlation_id: string | null; position: string; taught: Taught }>({
    name: 'find_task_links',
    text: `SELECT encode(wanted.task_hash, 'hex') AS task, newest.correlation_id, newest.position, newest.taught
    FROM unnest($1::bytea[]) AS wanted (task_hash)
    CROSS JOIN LATERAL (
      SELECT correlation_id, position, taught FROM ledger.task_link
      WHERE task_hash = wanted.task_hash
      ORDER BY position DESC LIMIT 20
    ) AS newest
    ORDER BY newest.position DESC`,
    values: [bytesOfAll(tasks)],
  })
  const links = new Map<string, TaskLink[]>(Array.from(tasks, (task) => [task, []]))
  for (const row of rows) {
    const { correlation_id: correlationId, taught } = row
    links.get(row.task)?.push({ position: positionOf(row.position), taught, ...(correlationId !== null && { correlationId }) })
  }
  return links
}
