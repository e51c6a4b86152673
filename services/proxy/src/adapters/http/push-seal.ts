/**
 * A push address inside a path: encrypted, so that nobody reads where it leads, and authenticated
 * together with the worker, so that nobody makes one up or uses it for another worker.
 *
 *     nonce (12) · tag (16) · the target as JSON, AES-256-GCM
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { PushSeal } from '../../app/push-tee.ts'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

const targetSchema = z.object({ url: z.string(), correlationId: z.string().optional() })

export function createPushSeal(secret: string): PushSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'a2a-ledger push seal', 32))
  return {
    seal: (workerId, target) => {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(workerId))
      const sealed = Buffer.concat([sealing.update(JSON.stringify(target), 'utf8'), sealing.final()])
      return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url')
    },
    open: (workerId, seal) => {
      const bytes = Buffer.from(seal, 'base64url')
      if (bytes.length <= nonceBytes + tagBytes || bytes.toString('base64url') !== seal) return undefined // one spelling each
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(workerId))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        const text = Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]).toString('utf8')
        const { url, correlationId } = targetSchema.parse(JSON.parse(text))
        return { url, ...(correlationId !== undefined && { correlationId }) }
      } catch {
        return undefined // not ours, or not for this worker
      }
    },
  }
}
