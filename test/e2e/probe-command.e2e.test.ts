/**
 * `npx a2a-ledger probe` at agents on the SDKs of three vendors, killed while a canary waits: the command as
 * a person runs it, told from its output and its exit code.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { liveAgents } from '../live/agents.ts'
import { cliPath, probeAgent, startRestarter } from '../live/probe-agent.ts'
import { committedProbePage, probeLineOf } from '../live/probe-page.ts'
import { hasGo } from '../workers/go.ts'
import { startWorker, type Worker } from '../workers/spawn.ts'
import type { WorkerSpec } from '../workers/worker-spec.ts'

const loopback = ['--allow-cidr', '127.0.0.0/8']

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const start = (args: readonly string[]): { readonly child: ChildProcess; readonly heard: (text: string) => Promise<void>; readonly end: Promise<Run> } => {
  const child = spawn(process.execPath, [cliPath, 'probe', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const told = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text: string) => (told[name] += text))
  const end = once(child, 'close').then(([code]) => ({ code: code as number | null, ...told }))
  return {
    child,
    end,
    heard: (text) => expect.poll(() => told.stderr, { timeout: 120_000 }).toContain(text),
  }
}

const agent = async (spec: WorkerSpec): Promise<Worker> => {
  const worker = await startWorker(spec)
  onTestFinished(() => worker.stop())
  return worker
}

const specOf = (rest: Pick<WorkerSpec, 'sdk'> & Partial<WorkerSpec>): WorkerSpec => ({
  name: `${rest.sdk}-probed`,
  outputModes: ['application/json'],
  reachableStates: ['submitted', 'working', 'input-required', 'completed'],
  emits: 'application/json',
  asks: 'Which quarter?',
  workMs: 500, // so that whoever asks meets it at work, also on a busy machine
  ...rest,
})

const isGoThere = await hasGo()
const agents: readonly (readonly [name: string, spec: WorkerSpec, replays: boolean])[] = [
  ['JavaScript, 1.0 over JSONRPC', specOf({ sdk: 'js' }), true],
  ['JavaScript, 0.3 over HTTP+JSON', specOf({ sdk: 'js', protocol: '0.3', bindings: ['HTTP+JSON', 'JSONRPC'] }), true],
  ['Python, 1.0 over HTTP+JSON', specOf({ sdk: 'python', bindings: ['HTTP+JSON', 'JSONRPC'] }), true],
  ['Python of the 0.3 line', specOf({ sdk: 'python-0.3', protocol: '0.3' }), false],
  ['Go, 1.0 over JSONRPC', specOf({ sdk: 'go', bindings: ['JSONRPC', 'HTTP+JSON'] }), false],
]

describe('a probe from a terminal', () => {
  describe.each(agents)('of an agent in %s (an agent in Go needs Go)', (_name, spec, replays) => {
    test.skipIf(spec.sdk === 'go' && !isGoThere)('that is killed while a canary waits: it forgets, and what it did before is verified', { timeout: 300_000 }, async () => {
      const before = await agent(spec)
      const { command, close } = await startRestarter(() => before.kill('SIGKILL').then(() => agent({ ...spec, port: before.port })))
      onTestFinished(close)
      const { code, stdout } = await start([before.url, ...loopback, '--json', '--restart', command, '--require', 'verified,input-required,honest-not-found,parity']).end
      const report = JSON.parse(stdout) as { state: string; verified: { states: { state: string; grade: string }[] }; measured: object; required: object[] }
      expect(report.state).toBe('done')
      expect(report.verified.states.filter(({ state }) => state !== 'submitted').map(({ state, grade }) => `${state} ${grade}`)).toEqual(['working verified', 'input-required verified', 'completed verified'])
      expect(report.measured).toEqual({
        survivesRestart: false,
        idempotentMessageId: false,
        notFoundHonest: true,
        streamReplay: replays,
        pushArrives: 'unknown',
        retentionSeconds: 'unknown',
        bindingParity: true,
      })
      expect(code).toBe(0)
    })
  })

  // One SDK: it has a store of each kind, and what the others find is above.
  test.each(['in memory', 'SQLite'] as const)('of an agent in JavaScript whose tasks are kept %s finds what docs/reference/probed-agents.md says', async (store) => {
    const [agentInJs] = liveAgents
    if (agentInJs === undefined) throw new Error('no agent')
    const probed = await probeAgent(agentInJs, store)
    expect(probed.report.measured['survivesRestart']).toBe(store === 'SQLite')
    expect(committedProbePage().split('\n')).toContain(probeLineOf(probed))
  })

  test('a required grade that is not earned is exit code 1, and the scorecard says which and why', { timeout: 300_000 }, async () => {
    const spec = specOf({ sdk: 'js', emits: 'text/plain' })
    const before = await agent(spec)
    const { heard, end } = start([before.cardUrl, ...loopback, '--park', '--wait', '120', '--require', 'durable,verified'])
    await heard('restart it now')
    await before.kill('SIGKILL')
    await agent({ ...spec, port: before.port })
    const { code, stdout } = await end
    expect(code).toBe(1)
    expect(stdout).toMatch(/input-required +declared +verified, LOST at the restart/)
    expect(stdout).toMatch(/text\/plain +NOT NEGOTIATED +emitted/)
    expect(stdout).toMatch(/durable +NOT MET +survivesRestart is false/)
    expect(stdout).toMatch(/verified +NOT MET +it emitted text\/plain/)
  })

  test('an agent on this machine is not called unless that is allowed', async () => {
    const { code, stdout } = await start(['http://127.0.0.1:9/', '--quiet']).end
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('127.0.0.1 is not called, since its address must not be') })
  })

  test.each([
    ['no URL', ['nowhere']],
    ['an unknown requirement', ['http://x.test/', '--require', 'perfect']],
    ['a block that is none', ['http://x.test/', '--allow-cidr', 'loopback']],
    ['a header without a name', ['http://x.test/', '--header', 'secret']],
  ])('%s is exit code 2 and a sentence', async (_name, args) => {
    const { code, stderr } = await start(args).end
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: .+/)
  })
})
