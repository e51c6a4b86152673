import type { CorrelationKeys, CorrelationLessons, CorrelationLinked } from '@a2a-ledger/domain'
import type { PoolClient } from 'pg'
import { copyInto } from './copy-into.ts'
import { bytesOfHex } from './hex.ts'

/** Appends what the correlation ladder learned from a group (K1-K6). */
export async function copyLessons(
  client: PoolClient,
  { lessons, linked }: { readonly lessons: CorrelationLessons; readonly linked: readonly CorrelationLinked[] },
  keys: CorrelationKeys,
): Promise<void> {
  await copyInto(
    client,
    'task_link',
    ['task_hash', 'position', 'correlation_id'],
    lessons.taskLinks.map(({ task, position, correlationId }) => [bytesOfHex(task), position, correlationId]),
  )
  await copyInto(
    client,
    'message_link',
    ['message_hash', 'position', 'correlation_id', 'named_task_hash'],
    lessons.messageLinks.map(({ message, position, correlationId, namedTask }) => [
      bytesOfHex(message),
      position,
      correlationId,
      namedTask === undefined ? null : bytesOfHex(namedTask),
    ]),
  )
  await copyInto(
    client,
    'dispatch',
    ['correlation_hash', 'worker_hash', 'position', 'named_task_hash'],
    lessons.dispatches.map(({ correlation, worker, position, namedTask }) => [
      bytesOfHex(correlation),
      bytesOfHex(worker),
      position,
      namedTask === undefined ? null : bytesOfHex(namedTask),
    ]),
  )
  await copyInto(
    client,
    'open_claim',
    ['claim_hash', 'task_hash', 'position', 'worker_id', 'task_id'],
    lessons.openClaims.map(({ claim, task, position, workerId, taskId }) => [
      bytesOfHex(claim),
      bytesOfHex(task),
      position,
      workerId,
      taskId,
    ]),
  )
  await copyInto(
    client,
    'synthetic_stream',
    ['stream_hash', 'position'],
    lessons.syntheticStreams.map(({ stream, position }) => [bytesOfHex(stream), position]),
  )
  await copyInto(
    client,
    'worker_restart',
    ['worker_hash', 'position'],
    lessons.restarts.map(({ worker, position }) => [bytesOfHex(worker), position]),
  )
  await copyInto(
    client,
    'worker_mesh',
    ['worker_hash', 'position', 'mesh'],
    lessons.meshesOfWorkers.map(({ worker, position, mesh }) => [bytesOfHex(worker), position, mesh]),
  )
  await copyInto(
    client,
    'mesh_rules',
    ['mesh_hash', 'position', 'rules'],
    lessons.rulesOfMeshes.map(({ mesh, position, rules }) => [bytesOfHex(mesh), position, JSON.stringify(rules)]),
  )
  await copyInto(
    client,
    'alias',
    ['from_hash', 'position', 'from_id', 'to_hash', 'to_id'],
    linked.map(({ position, from, to }) => [
      bytesOfHex(keys.correlation(from)),
      position,
      from,
      bytesOfHex(keys.correlation(to)),
      to,
    ]),
  )
}
