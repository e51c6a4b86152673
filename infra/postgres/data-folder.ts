import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isReachableBy, postgresOsUser, reachableRoot, type OsUser } from './os-user.ts'

export type DataFolder = {
  /** The cluster: what PostgreSQL calls PGDATA. */
  readonly path: string
  /** Where a new cluster is built, to be renamed to `path` when it is whole. */
  readonly unfinishedPath: string
  readonly user: OsUser
  readonly isNew: boolean
}

/**
 * The folder behind `wanted`, created when missing, and the user it belongs to.
 *
 * When that user cannot reach `wanted`, the data goes to a folder it can reach and `wanted`
 * becomes a link to it: the link is what finds the data again, and removing it forgets them.
 */
export function prepareDataFolder(wanted: string): DataFolder {
  const existing = existsSync(wanted) ? realpathSync(wanted) : undefined
  const user = postgresOsUser(existing)
  if (existing !== undefined) {
    if (!isReachableBy(user, existing)) {
      throw new Error(
        `PostgreSQL does not run as root, and user ${user?.uid} cannot reach ${existing}. Open the folders above it (chmod o+x), or set DATA_DIR to another place.`,
      )
    }
    return dataFolder(existing, user)
  }
  mkdirSync(dirname(wanted), { recursive: true })
  let path = wanted
  if (!isReachableBy(user, wanted)) {
    path = join(reachableRoot, `data-${randomBytes(6).toString('hex')}`)
    mkdirSync(reachableRoot, { recursive: true, mode: 0o755 })
    chmodSync(reachableRoot, 0o755) // whatever the umask says
    symlinkSync(path, wanted)
  }
  mkdirSync(path, { mode: 0o700 })
  if (user !== undefined) chownSync(path, user.uid, user.gid)
  return dataFolder(realpathSync(path), user)
}

function dataFolder(folder: string, user: OsUser): DataFolder {
  const path = join(folder, 'cluster')
  return { path, unfinishedPath: join(folder, 'unfinished'), user, isNew: !existsSync(path) }
}
