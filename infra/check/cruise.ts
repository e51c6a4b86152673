import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { node24Path, workspaceRoot } from '../launch/node24.cjs'

export type Violation = { readonly rule: string; readonly from: string; readonly to: string }

/**
 * Every import below `folders` of `root` that breaks a rule of `.dependency-cruiser.cjs`.
 *
 * Throws when nothing was looked at: with a TypeScript it does not support, dependency-cruiser
 * finds no module and calls that a success.
 */
export function cruise(root: string, folders: readonly string[]): { moduleCount: number; violations: Violation[] } {
  const { stdout, stderr } = spawnSync(
    node24Path,
    [
      join(workspaceRoot, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      join(workspaceRoot, '.dependency-cruiser.cjs'),
      '--output-type',
      'json',
      ...folders,
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 },
  )
  if (stdout === '') throw new Error(`dependency-cruiser failed: ${stderr}`)
  const { summary } = JSON.parse(stdout) as {
    summary: { totalCruised: number; violations: { from: string; to: string; rule: { name: string } }[] }
  }
  if (summary.totalCruised === 0) throw new Error('dependency-cruiser looked at 0 modules, so it checked nothing.')
  return {
    moduleCount: summary.totalCruised,
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  }
}
