/** Which secrets a push has to show one of (contract §3; L10). */
import type { Codec, CorrelationKeys } from '@a2a-ledger/domain'
import type { Pool } from 'pg'
import type { PushSecretStore } from '../../app/ledger.ts'
import { pushSubjectHash } from './push-subject-hash.ts'
import { findPushSecrets } from './sql/find-push-secrets.ts'
import { findTaskLinks } from './sql/find-task-links.ts'
import { storeCall } from './store-call.ts'

/**
 * Secrets of the task, of its logical task at that worker, and of the worker.
 *
 * A task that is linked counts as what it is linked to, whatever logical task the URL names: else a
 * sender with the secret of one task could report about another.
 */
export function createPushSecretStore(
  pool: Pool,
  { codec, keys }: { readonly codec: Codec; readonly keys: CorrelationKeys },
): PushSecretStore {
  return {
    secretHashesFor: ({ workerId, correlationId, taskId }) =>
      storeCall(async () => {
        const owner = taskId === undefined ? undefined : await ownerOf(pool, keys.task(workerId, taskId))
        const logicalTask = owner ?? correlationId
        const hash = (subject: Parameters<typeof pushSubjectHash>[1]): string => pushSubjectHash(codec, subject)
        const subjects = [hash({ kind: 'worker', workerId })]
        if (taskId !== undefined) subjects.push(hash({ kind: 'task', workerId, taskId }))
        if (logicalTask !== undefined) {
          subjects.push(hash({ kind: 'logical-task', workerId, correlationId: logicalTask }))
        }
        return findPushSecrets(pool, subjects)
      }),
  }
}

async function ownerOf(pool: Pool, task: string): Promise<string | undefined> {
  const links = await findTaskLinks(pool, new Set([task]))
  return links.get(task)?.[0]?.correlationId
}
