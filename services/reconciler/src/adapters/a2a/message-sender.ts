/**
 * SendMessage over JSON-RPC and HTTP+JSON, v1.0 (§9, §11) and v0.3 (§7.1, §3.5), through the guard for
 * addresses that others named. One call, one answer: it is recorded as it came, so nothing is read here.
 */
import { callFailureOf, type Outbound } from '@a2a-ledger/outbound'
import type { SendAddress } from '@a2a-ledger/domain'
import type { MessageSender } from '../../app/execute-redispatch.ts'

export interface MessageSenderOptions {
  readonly fetch: Outbound['fetch']
  readonly timeoutMs: number
  /** This machine's clock. */
  readonly nowMs: () => number
}

export function createMessageSender({ fetch, timeoutMs, nowMs }: MessageSenderOptions): MessageSender {
  return {
    send: async (address, { request, messageId, headers }) => {
      const { url, body } = callOf(address, request, messageId)
      const bytes = new TextEncoder().encode(body)
      const startedAtMs = nowMs()
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/json',
            accept: 'application/json',
            ...(address.version === '1.0' && { 'a2a-version': '1.0' }),
          },
          body: bytes,
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        })
        const answer = new Uint8Array(await response.arrayBuffer())
        const contentType = response.headers.get('content-type') ?? undefined
        return { outcome: 'answered', status: response.status, contentType, answer, body: bytes, startedAtMs, endedAtMs: nowMs() }
      } catch (error) {
        return { outcome: 'unanswered', reason: callFailureOf(error), body: bytes, startedAtMs, endedAtMs: nowMs() }
      }
    },
  }
}

function callOf({ url, binding, version }: SendAddress, request: string, messageId: string): { readonly url: string; readonly body: string } {
  if (binding === 'JSONRPC') {
    const method = version === '1.0' ? 'SendMessage' : 'message/send'
    return { url, body: `{"jsonrpc":"2.0","id":${JSON.stringify(messageId)},"method":"${method}","params":${request}}` }
  }
  const path = version === '1.0' ? 'message:send' : 'v1/message:send'
  return { url: `${url.replace(/\/+$/, '')}/${path}`, body: request }
}
