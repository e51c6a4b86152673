import type { CorrelationKeys, CorrelationLessons } from '@a2a-ledger/domain'
import type { PoolClient } from 'pg'
import { copyInto } from './copy-into.ts'
import { bytesOfHex } from './hex.ts'

/** Appends what the correlation ladder learned from a group (K1-K6). */
export async function copyLessons(
  client: PoolClient,
  lessons: CorrelationLessons,
  keys: CorrelationKeys,
): Promise<void> {
  await copyInto(
    client,
    'task_link',
    ['task_hash', 'position', 'correlation_id', 'taught'],
    lessons.taskLinks.map(({ task, position, correlationId, taught }) => [bytesOfHex(task), position, correlationId ?? null, taught]),
  )
  await copyInto(
    client,
    'message_link',
    ['message_hash', 'position', 'correlation_id', 'witness_ms', 'named_task_hash'],
    lessons.messageLinks.map(({ message, position, correlationId, witnessMs, namedTask }) => [
      bytesOfHex(message),
      position,
      correlationId,
      witnessMs,
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
    ['claim_hash', 'task_hash', 'position', 'worker_id', 'task_id', 'witness_ms', 'is_answer'],
    lessons.openClaims.map(({ claim, task, position, workerId, taskId, witnessMs, isAnswer }) => [
      bytesOfHex(claim),
      bytesOfHex(task),
      position,
      workerId,
      taskId,
      witnessMs,
      isAnswer,
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
    'stream_link',
    ['stream_hash', 'position', 'correlation_id', 'task_hash'],
    lessons.streamLinks.map(({ stream, position, correlationId, task }) => [
      bytesOfHex(stream),
      position,
      correlationId,
      task === undefined ? null : bytesOfHex(task),
    ]),
  )
  const idHash = (correlationId: string): Uint8Array => bytesOfHex(keys.correlation(correlationId))
  await copyInto(
    client,
    'alias',
    ['from_hash', 'position', 'from_id', 'to_hash', 'to_id', 'is_linked', 'is_by_hand'],
    lessons.aliases.map(({ from, to, position, isLinked, isByHand }) => [idHash(from), position, from, idHash(to), to, isLinked, isByHand]),
  )
  await copyInto(
    client,
    'move',
    ['position', 'task_hash', 'since', 'from_hash', 'from_id', 'to_hash', 'to_id'],
    lessons.moves.map(({ task, from, to, since, position }) => [position, bytesOfHex(task), since, idHash(from), from, idHash(to), to]),
  )
}
