/**
 * SendMessage and CancelTask over JSON-RPC and HTTP+JSON, v1.0 (§9, §11) and v0.3 (§7.1, §7.4, §3.5), through the
 * guard for addresses that others named. One call, one answer: it is recorded as it came, so nothing is read here, and
 * no redirect is followed.
 */
import { callFailureOf, type Outbound, refusalBeforeCall } from '@a2a-ledger/outbound'
import type { SendAddress } from '@a2a-ledger/domain'
import type { MessageSender, SendOutcome } from '../../app/execute-redispatch.ts'

export interface MessageSenderOptions {
  readonly outbound: Pick<Outbound, 'fetch' | 'refusalOf'>
  readonly timeoutMs: number
  /** This machine's clock. */
  readonly nowMs: () => number
}

export function createMessageSender({ outbound, timeoutMs, nowMs }: MessageSenderOptions): MessageSender {
  const post = async ({ url, body }: Call, version: SendAddress['version'], headers: Readonly<Record<string, string>>): Promise<SendOutcome> => {
    if (!URL.canParse(url)) return { outcome: 'not-called', because: noUrl }
    const bytes = new TextEncoder().encode(body)
    const startedAtMs = nowMs()
    try {
      const response = await outbound.fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json',
          ...(version === '1.0' && { 'a2a-version': '1.0' }),
        },
        body: bytes,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const answer = new Uint8Array(await response.arrayBuffer())
      const contentType = response.headers.get('content-type') ?? undefined
      return { outcome: 'answered', status: response.status, contentType, answer, body: bytes, startedAtMs, endedAtMs: nowMs() }
    } catch (error) {
      const refusal = refusalBeforeCall(error)
      if (refusal !== undefined) return { outcome: 'not-called', because: refusal.message }
      return { outcome: 'unanswered', reason: callFailureOf(error), body: bytes, startedAtMs, endedAtMs: nowMs() }
    }
  }
  return {
    refusal: async ({ url }) => (URL.canParse(url) ? (await outbound.refusalOf(new URL(url)))?.message : noUrl),
    send: (address, { request, messageId, headers }) => post(sendCallOf(address, request, messageId), address.version, headers),
    cancel: (address, { taskId, headers }) => post(cancelCallOf(address, taskId), address.version, headers),
  }
}

const noUrl = 'What stands as its address is no URL.'

interface Call {
  readonly url: string
  readonly body: string
}

const sendCallOf = (address: SendAddress, request: string, messageId: string): Call =>
  address.binding === 'JSONRPC'
    ? { url: address.url, body: `{"jsonrpc":"2.0","id":${JSON.stringify(messageId)},"method":"${address.version === '1.0' ? 'SendMessage' : 'message/send'}","params":${request}}` }
    : { url: restUrl(address, 'message:send'), body: request }

const cancelCallOf = (address: SendAddress, taskId: string): Call =>
  address.binding === 'JSONRPC'
    ? { url: address.url, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: address.version === '1.0' ? 'CancelTask' : 'tasks/cancel', params: { id: taskId } }) }
    : { url: restUrl(address, `tasks/${encodeURIComponent(taskId)}:cancel`), body: '{}' }

const restUrl = ({ url, version }: SendAddress, path: string): string => `${url.replace(/\/+$/, '')}/${version === '1.0' ? '' : 'v1/'}${path}`
