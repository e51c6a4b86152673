// Runs a TypeScript file on the Node that this workspace pins, whatever Node called us. Plain
// JavaScript, so that Node 20 can read it.
//
// Where Node can replace its own process (22.15 and later) it does: same pid, nothing to forward.
// Elsewhere the script is a child: signals and the exit code are passed on, and a channel tells
// the child when this process is gone, SIGKILL included, so that nothing is left running.
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { constants } = require('node:os')
const { join } = require('node:path')

const workspaceRoot = join(__dirname, '..', '..')
const binary = process.platform === 'win32' ? 'node.exe' : 'node'
const node24Path = join(workspaceRoot, 'node_modules', 'node', 'bin', binary)

/** The signal a script gets when the process that launched it is gone. */
const followParentPath = join(__dirname, 'follow-parent.cjs')

// kafkajs computes a negative timer now and then; Node warns about it and then does the right thing.
const nodeFlags = ['--disable-warning=TimeoutNegativeWarning']

/**
 * Runs `script` on Node 24 in place of the calling process and never returns to the caller's work.
 *
 * `signalWhenOrphaned`: what the script gets when its launcher was killed. A service is killed
 * with its launcher, as if they were one process; whoever has children of its own is asked to stop.
 */
function runNode24(script, args, { signalWhenOrphaned = 'SIGKILL' } = {}) {
  if (!existsSync(node24Path)) {
    console.error(
      'The dependencies are not installed: node_modules/node is missing.\n' +
        'Run `npm start` at the root of the repository once, or only install:\n' +
        '  npx -y pnpm@10.34.9 install --frozen-lockfile',
    )
    process.exit(1)
  }
  if (typeof process.execve === 'function' && process.platform !== 'win32') {
    process.removeAllListeners('warning') // execve calls itself experimental
    process.execve(node24Path, [node24Path, ...nodeFlags, script, ...args], process.env)
  }
  const child = spawn(node24Path, [...nodeFlags, '--require', followParentPath, script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, A2A_LEDGER_SIGNAL_WHEN_ORPHANED: signalWhenOrphaned },
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']) {
    process.on(signal, () => child.kill(signal))
  }
  if (signalWhenOrphaned !== 'SIGKILL' && process.env.npm_lifecycle_event !== undefined) {
    const parentPid = process.ppid // npm, which may be killed without a chance to tell us
    setInterval(() => process.ppid !== parentPid && child.kill(signalWhenOrphaned), 500).unref()
  }
  child.on('error', (error) => {
    console.error(`Cannot run ${node24Path}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

module.exports = { followParentPath, node24Path, nodeFlags, runNode24, workspaceRoot }
