import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oneAtATime } from './one-at-a-time.ts'

const run = promisify(execFile)
const source = join(import.meta.dirname, 'go_worker')
const defaultCacheDir = join(import.meta.dirname, '..', '..', '.data', 'go')

export type GoBinary =
  | { readonly status: 'ready'; readonly binary: string }
  | { readonly status: 'missing'; readonly because: string }

/**
 * The worker in Go, built for one version of the protocol, or the text that says what is missing and
 * how to get it.
 *
 * `cacheDir` keeps it under the digest of its sources and pins: a second call costs nothing, and who
 * asks while another process builds it waits for that. The binary is what is run, never `go run`,
 * whose child would outlive a SIGKILL.
 */
export async function ensureGo(protocol: '1.0' | '0.3', cacheDir = defaultCacheDir): Promise<GoBinary> {
  const names = (await readdir(source)).sort()
  const digest = createHash('sha256').update(protocol)
  for (const name of names) digest.update(await readFile(join(source, name)))
  const binary = join(cacheDir, `worker-${protocol}-${digest.digest('hex').slice(0, 12)}`)
  const ready = (): GoBinary | undefined => (existsSync(binary) ? { status: 'ready', binary } : undefined)
  return ready() ?? oneAtATime(binary, async () => ready() ?? build(binary, protocol, cacheDir))
}

async function build(binary: string, protocol: '1.0' | '0.3', cacheDir: string): Promise<GoBinary> {
  await mkdir(cacheDir, { recursive: true })
  const folder = await mkdtemp(`${binary}-`)
  const built = join(folder, 'worker')
  try {
    const tags = protocol === '0.3' ? ['-tags', 'legacy'] : []
    await run('go', ['build', '-mod=readonly', '-buildvcs=false', ...tags, '-o', built, '.'], { cwd: source })
    await rename(built, binary)
    return { status: 'ready', binary }
  } catch (error) {
    return { status: 'missing', because: missingText(error) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** True when there is a Go toolchain at all. */
export const hasGo = (): Promise<boolean> => run('go', ['version']).then(() => true, () => false)

function missingText(error: unknown): string {
  const { code, stderr } = error as { code?: string | number; stderr?: string }
  const reason = code === 'ENOENT' ? 'go: not found' : (stderr?.trim().split('\n').at(-1) ?? `exit code ${code}`)
  return [
    `The worker in Go (test/workers/go_worker) cannot be built: ${reason}`,
    'It needs Go 1.25 or later, and a module proxy to get the SDK from:',
    '  Debian, Ubuntu: apt-get install golang   macOS: brew install go',
  ].join('\n')
}
