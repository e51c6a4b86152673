import { sql, type Kysely } from 'kysely'
import { bytesOfHex } from '../hex.ts'
import { positionOf } from '../position.ts'
import { isStanding } from './is-standing.ts'

/** Hashes in hex. */
export interface TaskStreams {
  /** The stream itself, and the synthetic ones that are linked to it. */
  readonly parts: ReadonlySet<string>
  /** What went between these streams and others, oldest first (K6). */
  readonly moves: readonly Move[]
}

interface Move {
  readonly task: string
  readonly from: string
  readonly to: string
  readonly since: number
  readonly position: number
}

interface MoveRow {
  readonly position: string
  readonly since: string
  readonly task_hash: Buffer
  readonly from_hash: Buffer
  readonly to_hash: Buffer
}

/** In which streams the events of `stream` are. Indexes `alias_to`, `move_from`, `move_to`. */
export async function findTaskStreams<Tables>(db: Kysely<Tables>, stream: string): Promise<TaskStreams> {
  const { rows: linked } = await sql<{ from_hash: Buffer }>`
    SELECT alias.from_hash FROM ledger.alias WHERE alias.to_hash = ${bytesOfHex(stream)} AND ${sql.raw(isStanding('alias'))}
  `.execute(db)
  const parts = new Set([stream, ...linked.map(({ from_hash }) => from_hash.toString('hex'))])
  const moves = new Map<number, Move>()
  for (let asked = parts, next: ReadonlySet<string> = parts; next.size > 0; ) {
    const hashes = [...next].map(bytesOfHex)
    const { rows } = await sql<MoveRow>`
      SELECT position, since, task_hash, from_hash, to_hash FROM ledger.move
      WHERE from_hash = ANY (${hashes}::bytea[]) OR to_hash = ANY (${hashes}::bytea[])
    `.execute(db)
    for (const row of rows) moves.set(positionOf(row.position), moveOf(row))
    const known = asked
    next = new Set([...moves.values()].map(({ from }) => from).filter((from) => !known.has(from)))
    asked = new Set([...asked, ...next])
  }
  return { parts, moves: [...moves.values()].toSorted((one, other) => one.position - other.position) }
}

const moveOf = (row: MoveRow): Move => ({
  task: row.task_hash.toString('hex'),
  from: row.from_hash.toString('hex'),
  to: row.to_hash.toString('hex'),
  since: positionOf(row.since),
  position: positionOf(row.position),
})
