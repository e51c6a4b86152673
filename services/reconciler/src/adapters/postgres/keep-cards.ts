/** The cards of workers, without the inside of the runs in which the same one was fetched again (F1). */
import { withCard, type CardFact } from '@a2a-ledger/domain'
import type pg from 'pg'
import { workerKey } from './keys.ts'

/**
 * Call it in the transaction that applies `cards`; their workers are locked: nobody else changes them.
 *
 * Shape: in order of position. One event brings one card at most, so a position tells it.
 */
export async function keepCards(client: pg.ClientBase, cards: readonly CardFact[]): Promise<void> {
  if (cards.length === 0) return
  const fetched = Map.groupBy(cards, ({ workerId }) => workerId)
  const { rows } = await client.query<{ fact: CardFact }>(
    `SELECT fact FROM worker_facts WHERE worker_key = ANY($1::bytea[]) AND fact->>'kind' = 'card' ORDER BY position`,
    [[...fetched.keys()].map(workerKey)],
  )
  const known = Map.groupBy(rows.map(({ fact }) => fact), ({ workerId }) => workerId)
  const changes = [...fetched].map(([workerId, added]) => {
    const before = known.get(workerId) ?? []
    const kept = new Set(added.reduce<readonly CardFact[]>(withCard, before))
    return { left: before.filter((fact) => !kept.has(fact)), added: [...kept].filter((fact) => !before.includes(fact)) }
  })
  const left = changes.flatMap((change) => change.left)
  const added = changes.flatMap((change) => change.added)
  await client.query(
    `DELETE FROM worker_facts USING unnest($1::bytea[], $2::bigint[]) AS gone (worker_key, position)
      WHERE worker_facts.worker_key = gone.worker_key AND worker_facts.position = gone.position`,
    [left.map(({ workerId }) => workerKey(workerId)), left.map(({ position }) => position)],
  )
  await client.query(
    `INSERT INTO worker_facts (worker_key, position, n, fact) SELECT worker_key, position, 0, fact FROM unnest($1::bytea[], $2::bigint[], $3::json[]) AS added (worker_key, position, fact)`,
    [added.map(({ workerId }) => workerKey(workerId)), added.map(({ position }) => position), added.map((fact) => JSON.stringify(fact))],
  )
}
