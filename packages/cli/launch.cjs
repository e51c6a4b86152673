#!/usr/bin/env node
// `npx a2a-ledger …`: installs when needed, then runs the command on the workspace's own Node 24.
const { install } = require('../../infra/launch/install.cjs')
const { runNode24 } = require('../../infra/launch/node24.cjs')

install()
runNode24(`${__dirname}/src/main.ts`, process.argv.slice(2), { signalWhenOrphaned: 'SIGTERM' })
