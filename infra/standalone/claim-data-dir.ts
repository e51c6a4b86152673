import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Makes this process the only standalone instance on `dataDir`, or throws. Without it a second
 * instance would take the first one's PostgreSQL for a leftover and stop it.
 */
export function claimDataDir(dataDir: string): { release(): void } {
  makeFolder(dataDir)
  const path = join(dataDir, 'standalone.pid')
  if (existsSync(path)) {
    const pid = Number(readFileSync(path, 'utf8'))
    if (isStandalone(pid)) {
      throw new Error(
        `Another instance (pid ${pid}) already uses ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
      )
    }
  }
  writeFileSync(path, String(process.pid))
  return { release: () => rmSync(path, { force: true }) }
}

/** One level after the other: the recursive `mkdir` of Node never comes back where a level cannot be made (`/proc/x`). */
function makeFolder(dataDir: string): void {
  const missing: string[] = []
  for (let path = resolve(dataDir); !existsSync(path); path = dirname(path)) missing.unshift(path)
  try {
    for (const path of missing) mkdirSync(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The folder ${dataDir} cannot be made: ${reason}. Set DATA_DIR to one that can.`, { cause: error })
  }
}

function isStandalone(pid: number): boolean {
  if (pid === process.pid || !isAlive(pid)) return false
  const path = `/proc/${pid}/cmdline`
  // The pid may be somebody else's by now; where that cannot be told, the safe answer is yes.
  return !existsSync('/proc/self/cmdline') || (existsSync(path) && readFileSync(path, 'utf8').includes('standalone'))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
