// Installs the dependencies when they are missing or older than the lockfile, with nothing but
// the machine's own Node and npm.
const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { existsSync, readFileSync, readdirSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { node24Path, workspaceRoot } = require('./node24.cjs')

const stampPath = join(workspaceRoot, 'node_modules', '.installed')

/** Everything that decides what is in node_modules, in one digest. */
function wantedDigest() {
  const manifests = ['.', 'infra', 'test', ...childrenOf('packages'), ...childrenOf('services')].map(
    (folder) => join(folder, 'package.json'),
  )
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    const path = join(workspaceRoot, file)
    if (existsSync(path)) hash.update(`\0${file}\0`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

function childrenOf(folder) {
  const path = join(workspaceRoot, folder)
  return existsSync(path) ? readdirSync(path).map((name) => join(folder, name)) : []
}

function isInstalled() {
  return (
    existsSync(node24Path) && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === wantedDigest()
  )
}

function install() {
  if (isInstalled()) return
  const { packageManager } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'))
  const isFirst = !existsSync(node24Path)
  console.error(
    isFirst
      ? 'First start: installing the dependencies and Node 24. This takes a minute or so …'
      : 'The dependencies changed: installing …',
  )
  const result = spawnSync('npx', ['-y', packageManager, 'install', '--frozen-lockfile'], {
    cwd: workspaceRoot,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    env: { ...process.env, CI: 'true' },
  })
  if (result.status !== 0) {
    console.error(result.stdout ?? '', result.stderr ?? '', result.error?.message ?? '')
    console.error(
      'Installing failed, see above. It needs the npm registry, and a pnpm-lock.yaml that fits the package.json files.',
    )
    process.exit(1)
  }
  writeFileSync(stampPath, wantedDigest())
}

module.exports = { install }
