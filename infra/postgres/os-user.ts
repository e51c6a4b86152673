import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Who PostgreSQL runs as. `undefined`: whoever we are. */
export type OsUser = { readonly uid: number; readonly gid: number } | undefined

/**
 * Whom to run PostgreSQL as: it refuses to run as root. The owner of an existing data folder
 * stays its owner; otherwise `postgres` when the machine has such a user, else `nobody`.
 */
export function postgresOsUser(existingDataFolder: string | undefined): OsUser {
  if (process.getuid?.() !== 0) return undefined
  if (existingDataFolder !== undefined) {
    const { uid, gid } = statSync(existingDataFolder)
    if (uid !== 0) return { uid, gid }
  }
  return lookUp('postgres') ?? lookUp('nobody') ?? { uid: 65534, gid: 65534 }
}

function lookUp(name: string): OsUser {
  const ids = (['-u', '-g'] as const).map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' })
    return status === 0 ? Number(stdout) : undefined
  })
  const [uid, gid] = ids
  return uid === undefined || gid === undefined ? undefined : { uid, gid }
}

/** Whether `user` may walk down to `path`: every folder above it lets that user through. */
export function isReachableBy(user: OsUser, path: string): boolean {
  if (user === undefined) return true
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { uid, gid, mode } = statSync(folder)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/**
 * Where things go that the user PostgreSQL runs as cannot reach in the repository, because root
 * keeps it below a folder that is closed to others (`/root` is).
 */
export const reachableRoot = '/var/lib/a2a-ledger'
