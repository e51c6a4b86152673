import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import type { Order, Step, Steps } from './steps.ts'

/** The driving side of `steps.ts`: one orchestrator process, its steps and its orders. */
export type StepProcess = {
  readonly pid: number
  /** Resolves with the next step of that name; `onOther` sees the steps before it. */
  until<Name extends keyof Steps>(
    step: Name,
    onOther?: (other: Step) => void,
  ): Promise<Steps[Name]>
  order(order: Order): void
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts `script` as a process of its own; throws with its stderr when it ends too early. */
export function startStepProcess(script: string, config: object): StepProcess {
  const child = spawn(process.execPath, [script, JSON.stringify(config)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // An order to a process that has just been killed is lost with it, as it would be in life.
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid ?? 0,
    async until<Name extends keyof Steps>(step: Name, onOther?: (other: Step) => void) {
      for (;;) {
        const line = await lines.next()
        if (line.done) throw new Error(`${script} ended before its step "${step}":\n${stderr}`)
        const reached = JSON.parse(line.value) as Step
        if (reached.step === step) return reached as Steps[Name]
        onOther?.(reached)
      }
    },
    order(order) {
      child.stdin.write(`${JSON.stringify(order)}\n`)
    },
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
  }
}
