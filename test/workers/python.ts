import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oneAtATime } from './one-at-a-time.ts'

const run = promisify(execFile)
const defaultCacheDir = join(import.meta.dirname, '..', '..', '.data', 'python')

export type PythonEnvironment =
  | { readonly status: 'ready'; readonly python: string }
  | { readonly status: 'missing'; readonly because: string }

/**
 * A Python interpreter that has exactly one requirements file of this folder installed, or the text
 * that says what is missing and how to get it: whoever runs this may have no Python, and is told, not
 * thrown at.
 *
 * `cacheDir` keeps a pointer to the environment under the digest of the requirements: a second
 * call costs nothing, a changed pin gets a new environment. Who asks while another process builds
 * it waits for that. Each build has a folder of its own and the pointer appears in one step after
 * it, so a half-made environment is never used.
 */
export async function ensurePython(
  requirementsName: 'requirements.txt' | 'requirements-0.3.txt' = 'requirements.txt',
  cacheDir = defaultCacheDir,
): Promise<PythonEnvironment> {
  const requirementsFile = join(import.meta.dirname, requirementsName)
  const requirements = await readFile(requirementsFile, 'utf8')
  const digest = createHash('sha256').update(requirements).digest('hex').slice(0, 12)
  const pointer = join(cacheDir, `a2a-${digest}`)
  const ready = async (): Promise<PythonEnvironment | undefined> => {
    const known = await readFile(pointer, 'utf8').catch(() => undefined)
    return known !== undefined && existsSync(known) ? { status: 'ready', python: known } : undefined
  }
  return (await ready()) ?? oneAtATime(pointer, async () => (await ready()) ?? build(pointer, requirementsFile, cacheDir))
}

async function build(pointer: string, requirementsFile: string, cacheDir: string): Promise<PythonEnvironment> {
  await mkdir(cacheDir, { recursive: true })
  const folder = await mkdtemp(`${pointer}-`)
  const python = join(folder, 'bin', 'python')
  for (const step of [
    { file: process.env['PYTHON'] ?? 'python3', args: ['-m', 'venv', folder] },
    { file: python, args: [...pipInstall, '-r', requirementsFile] },
  ]) {
    try {
      await run(step.file, step.args)
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      return { status: 'missing', because: missingText(step, error) }
    }
  }
  await writeFile(join(folder, 'pointer'), python)
  await rename(join(folder, 'pointer'), pointer)
  return { status: 'ready', python }
}

const pipInstall = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']

function missingText(step: { file: string; args: string[] }, error: unknown): string {
  const { code, stderr } = error as { code?: string | number; stderr?: string }
  const reason = code === 'ENOENT' ? 'not found' : lastLine(stderr) ?? `exit code ${code}`
  return [
    'The Python workers (test/workers/python*.py) cannot run:',
    `  ${step.file} ${step.args.slice(0, 3).join(' ')} …: ${reason}`,
    'It needs Python 3.10 or later with venv and pip, and a package index to install from:',
    '  Debian, Ubuntu: apt-get install python3 python3-venv   macOS: brew install python',
    '  An interpreter elsewhere: PYTHON=/path/to/python3',
  ].join('\n')
}

function lastLine(text: string | undefined): string | undefined {
  return text?.trim().split('\n').at(-1) || undefined
}
