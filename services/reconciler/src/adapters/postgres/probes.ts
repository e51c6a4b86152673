/** Probes: their moments, what counts of them, which are under way, which are due. */
import { probeSubjectsOf, type ProbeStepFact } from '@a2a-ledger/domain'
import type pg from 'pg'
import type { DueProbe, OpenProbe, ProbeSchedule } from '../../app/ports.ts'
import { evidenceKey, probeKey, workerKey } from './keys.ts'

/** Every moment is kept; of each subject the newest one counts, in whatever order they come. */
export async function insertProbeMoments(client: pg.ClientBase, facts: readonly ProbeStepFact[]): Promise<void> {
  if (facts.length === 0) return
  await client.query(
    `INSERT INTO probe_moments (worker_key, position, probe_key, fact)
     SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::json[])`,
    [
      facts.map(({ workerId }) => workerKey(workerId)),
      facts.map(({ position }) => position),
      facts.map(({ workerId, moment }) => probeKey(workerId, moment.probeId)),
      facts.map((fact) => JSON.stringify(fact)),
    ],
  )
  for (const fact of facts) {
    const { workerId, position, moment, atMs } = fact
    await client.query(
      `INSERT INTO probes (probe_key, worker_id, probe_id, last_position, is_closed) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (probe_key) DO UPDATE
         SET last_position = greatest(probes.last_position, excluded.last_position), is_closed = probes.is_closed OR excluded.is_closed`,
      [probeKey(workerId, moment.probeId), workerId, moment.probeId, position, moment.phase === 'closed'],
    )
    if (moment.phase === 'planned') {
      await client.query(
        `INSERT INTO probe_schedules (worker_key, worker_id, planned_at_ms) VALUES ($1, $2, $3)
         ON CONFLICT (worker_key) DO UPDATE SET planned_at_ms = greatest(probe_schedules.planned_at_ms, excluded.planned_at_ms)`,
        [workerKey(workerId), workerId, atMs],
      )
    }
    const subjects = probeSubjectsOf(fact)
    if (subjects.length === 0) continue
    await client.query(
      `INSERT INTO probe_words (worker_key, subject_key, position) SELECT $1, subject_key, $3 FROM unnest($2::bytea[]) AS subject_key
       ON CONFLICT (worker_key, subject_key) DO UPDATE SET position = excluded.position WHERE probe_words.position < excluded.position`,
      [workerKey(workerId), subjects.map(evidenceKey), position],
    )
    await client.query('UPDATE workers SET is_probed = true WHERE worker_key = $1 AND NOT is_probed', [workerKey(workerId)])
  }
}

export async function noteProbeSchedule(client: pg.ClientBase, workerId: string, { isEnabled, everyMs }: ProbeSchedule): Promise<void> {
  await client.query(
    `INSERT INTO probe_schedules (worker_key, worker_id, is_enabled, every_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (worker_key) DO UPDATE SET is_enabled = excluded.is_enabled, every_ms = excluded.every_ms`,
    [workerKey(workerId), workerId, isEnabled, everyMs ?? null],
  )
}

export async function loadProbe(client: pg.Pool, workerId: string, probeId: string): Promise<readonly ProbeStepFact[]> {
  const { rows } = await client.query<{ fact: ProbeStepFact }>('SELECT fact FROM probe_moments WHERE probe_key = $1 ORDER BY position', [
    probeKey(workerId, probeId),
  ])
  return rows.map(({ fact }) => fact)
}

/** The newest first: what is parked for days holds up nothing. */
export async function listOpenProbes(client: pg.Pool, limit: number): Promise<readonly OpenProbe[]> {
  const { rows } = await client.query<{ worker_id: string; probe_id: string }>(
    'SELECT worker_id, probe_id FROM probes WHERE NOT is_closed ORDER BY last_position DESC LIMIT $1',
    [limit],
  )
  return rows.map(({ worker_id, probe_id }) => ({ workerId: worker_id, probeId: probe_id }))
}

/**
 * Workers whose last probe was planned as long ago as their schedule says, or never, by the database's clock. One
 * that has no address yet would be due for good, ahead of all others.
 */
export async function listDueProbes(client: pg.Pool, limit: number): Promise<readonly DueProbe[]> {
  const { rows } = await client.query<{ worker_id: string; planned_at_ms: number | null }>(
    `SELECT worker_id, planned_at_ms FROM probe_schedules
      WHERE is_enabled AND every_ms IS NOT NULL
        AND EXISTS (SELECT FROM worker_facts WHERE worker_facts.worker_key = probe_schedules.worker_key
                       AND fact->>'kind' = 'enrolled' AND fact #> '{settings,interface}' IS NOT NULL)
        AND coalesce(planned_at_ms, 0) + every_ms <= floor(extract(epoch FROM clock_timestamp()) * 1000)
      ORDER BY planned_at_ms NULLS FIRST LIMIT $1`,
    [limit],
  )
  return rows.map(({ worker_id, planned_at_ms }) => ({ workerId: worker_id, plannedAtMs: planned_at_ms ?? undefined }))
}
