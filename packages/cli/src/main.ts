/** The `a2a-ledger` command: the only file that knows the process it runs in. */
import { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { addProbeCommand } from './probe-command.ts'

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())

const program = new Command('a2a-ledger')
  .description('The flight recorder of an A2A mesh, from a terminal.')
  // What was asked for was not done: never the code of a probe that found something.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.met : exitCodes.notDone))
addProbeCommand(program, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  exit: (code) => void (process.exitCode = code),
  stopping: stopping.signal,
})
await program.parseAsync()
