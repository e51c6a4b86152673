import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes this process the only one that writes to `folder`; throws where another proxy does. Two
 * would write over each other's spool.
 */
export function claimFolder(folder: string): { readonly release: () => void } {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'owner.pid')
  const pid = Number(textOf(path))
  if (isProxy(pid)) throw new Error(`another proxy (process ${pid}) writes to it. Stop that one, or set DATA_DIR to another folder.`)
  writeFileSync(path, String(process.pid))
  return { release: () => rmSync(path, { force: true }) }
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** In a container the pid is always the same, and a pid may be somebody else's by now. */
function isProxy(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid || !isAlive(pid)) return false
  const commandLine = textOf(`/proc/${pid}/cmdline`)
  return commandLine === '' || commandLine.includes('proxy')
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
