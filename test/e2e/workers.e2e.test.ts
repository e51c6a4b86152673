/**
 * What the incident rests on, seen on the real SDKs: what a worker with an in-memory store says
 * about its tasks after SIGKILL. The two SDKs differ in key order, text and content type, which is
 * why nothing in this project matches on text.
 */
import { describe, expect, onTestFinished, test } from 'vitest'

import { startWorker, type Worker } from '../workers/spawn.ts'
import { continuityExtension, type WorkerSpec } from '../workers/worker-spec.ts'

const errorInfo = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'TASK_NOT_FOUND',
  domain: 'a2a-protocol.org',
}
const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Write the report.' }] }
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }

/** The first worker on Python installs its SDK. */
const installMs = 300_000

describe.each(['js', 'python'] as const)('a %s worker', { timeout: installMs }, (sdk) => {
  const spec: WorkerSpec = {
    sdk,
    name: `${sdk}-worker`,
    outputModes: ['application/json'],
    reachableStates: ['working', 'input-required', 'completed'],
    asks: 'Which quarter?',
    emits: 'application/json',
  }

  test('forgets its tasks when it is killed, and says so on both bindings', async () => {
    const before = await start(spec)
    const lost = await sendMessage(before, message)
    expect(lost.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    await before.kill('SIGKILL')
    const after = await start({ ...spec, port: before.port })
    expect(after.port).toBe(before.port)
    expect(after.pid).not.toBe(before.pid)

    const rpc = await callRpc(after, 'GetTask', { id: lost.id })
    expect(rpc.httpStatus).toBe(200)
    expect(rpc.body).toMatchObject({ error: { code: -32001, data: [errorInfo] } })

    const rest = await fetch(`${after.url}/rest/tasks/${lost.id}`, { headers })
    expect(rest.status).toBe(404)
    expect(await rest.json()).toMatchObject({ error: { code: 404, details: [errorInfo] } })
  })

  test('gives the same message a new task id after a restart', async () => {
    const before = await start(spec)
    const first = await sendMessage(before, message)
    await before.kill('SIGKILL')
    const after = await start({ ...spec, port: before.port })
    const second = await sendMessage(after, message)
    expect(second.id).not.toBe(first.id)
  })

  test('emits another media type after a restart while its card stays the same', async () => {
    const before = await start(spec)
    const first = await sendMessage(before, message)
    const card = await fetch(before.cardUrl).then((response) => response.text())
    await before.kill('SIGKILL')
    const after = await start({ ...spec, port: before.port, emits: 'text/plain' })
    const second = await sendMessage(after, message)
    expect(first.artifacts[0]?.parts[0]?.mediaType).toBe('application/json')
    expect(second.artifacts[0]?.parts[0]?.mediaType).toBe('text/plain')
    expect(await fetch(after.cardUrl).then((response) => response.text())).toBe(card)
  })

  test('declares the states it can reach in its card', async () => {
    const worker = await start(spec)
    expect(await fetch(worker.cardUrl).then((response) => response.json())).toMatchObject({
      defaultOutputModes: spec.outputModes,
      skills: [{ id: 'report', outputModes: spec.outputModes }],
      capabilities: {
        extensions: [
          { uri: continuityExtension, params: { reachableStates: spec.reachableStates } },
        ],
      },
    })
  })

  test('completes once its question is answered', async () => {
    const worker = await start(spec)
    const { id: taskId, contextId } = await sendMessage(worker, message)
    const answered = await sendMessage(worker, { ...message, messageId: 'm-2', taskId, contextId })
    expect(answered.id).toBe(taskId)
    expect(answered.status.state).toBe('TASK_STATE_COMPLETED')
  })
})

type WireTask = {
  readonly id: string
  readonly contextId: string
  readonly status: { readonly state: string }
  readonly artifacts: readonly { readonly parts: readonly { readonly mediaType?: string }[] }[]
}

async function start(spec: WorkerSpec): Promise<Worker> {
  const worker = await startWorker(spec)
  onTestFinished(() => worker.stop())
  return worker
}

async function sendMessage(worker: Worker, sent: object): Promise<WireTask> {
  const { body } = await callRpc(worker, 'SendMessage', { message: sent })
  const { result } = body as { result: { task: WireTask } }
  return result.task
}

async function callRpc(worker: Worker, method: string, params: object) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(`${worker.url}/`, { method: 'POST', headers, body })
  return { httpStatus: response.status, body: (await response.json()) as unknown }
}
