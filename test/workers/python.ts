import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const requirementsFile = join(import.meta.dirname, 'requirements.txt')
const defaultCacheDir = join(import.meta.dirname, '..', '..', '.data', 'python')

export type PythonEnvironment =
  | { readonly status: 'ready'; readonly python: string }
  | { readonly status: 'missing'; readonly because: string }

/**
 * A Python interpreter that has exactly `requirements.txt` installed, or the text that says what
 * is missing and how to get it: whoever runs this may have no Python, and is told, not thrown at.
 *
 * The environment is kept in `cacheDir` under the digest of the requirements, so a second call
 * costs nothing and a changed pin gets a new one. A half-made one is never used: the marker file
 * `installed` appears in one step, after everything else, and without it the folder is made anew.
 */
export async function ensurePython(cacheDir = defaultCacheDir): Promise<PythonEnvironment> {
  const requirements = await readFile(requirementsFile, 'utf8')
  const digest = createHash('sha256').update(requirements).digest('hex').slice(0, 12)
  const folder = join(cacheDir, `a2a-${digest}`)
  const python = join(folder, 'bin', 'python')
  const marker = join(folder, 'installed')
  if (await exists(marker)) return { status: 'ready', python }
  await mkdir(cacheDir, { recursive: true })
  await rm(folder, { recursive: true, force: true })
  for (const step of [
    { file: process.env['PYTHON'] ?? 'python3', args: ['-m', 'venv', folder] },
    { file: python, args: pipInstall },
  ]) {
    try {
      await run(step.file, step.args)
    } catch (error) {
      return { status: 'missing', because: missingText(step, error) }
    }
  }
  await writeFile(`${marker}.new`, requirements)
  await rename(`${marker}.new`, marker)
  return { status: 'ready', python }
}

const pipInstall = [
  '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirementsFile,
]

async function exists(file: string): Promise<boolean> {
  return readFile(file).then(() => true, () => false)
}

function missingText(step: { file: string; args: string[] }, error: unknown): string {
  const { code, stderr } = error as { code?: string | number; stderr?: string }
  const reason = code === 'ENOENT' ? 'not found' : lastLine(stderr) ?? `exit code ${code}`
  return [
    'The Python worker (test/workers/python_worker.py) cannot run:',
    `  ${step.file} ${step.args.slice(0, 3).join(' ')} …: ${reason}`,
    'It needs Python 3.10 or later with venv and pip, and a package index to install from:',
    '  Debian, Ubuntu: apt-get install python3 python3-venv   macOS: brew install python',
    '  An interpreter elsewhere: PYTHON=/path/to/python3',
  ].join('\n')
}

function lastLine(text: string | undefined): string | undefined {
  return text?.trim().split('\n').at(-1) || undefined
}
