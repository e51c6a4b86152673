// `node infra/launch/run.cjs <script.ts> [arguments]`: what every npm script at the root does.
// Installs when needed, then runs the script on Node 24.
const { join } = require('node:path')
const { install } = require('./install.cjs')
const { runNode24, workspaceRoot } = require('./node24.cjs')

const [script, ...args] = process.argv.slice(2)
install()
runNode24(join(workspaceRoot, script), args, { signalWhenOrphaned: 'SIGTERM' })
