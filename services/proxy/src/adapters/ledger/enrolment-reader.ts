/** Which workers are enrolled, read from the events of the ledger. */
import { enrolmentSchema, LedgerError } from '@a2a-ledger/domain'
import { z } from 'zod'
import type { EnrolmentReader, EnrolmentSlice } from '../../app/ports.ts'

const timeoutMs = 10_000
const pageSize = 1000

const identitySchema = z.object({ ledgerId: z.string(), epoch: z.int(), head: z.int() })
const pageSchema = z.object({
  events: z.array(z.looseObject({ position: z.int(), workerid: z.string().optional(), data: z.unknown() })),
  next: z.int().nullable(),
})

export function createEnrolmentReader({ url, signal }: { readonly url: string; readonly signal: AbortSignal }): EnrolmentReader {
  const get = async <Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> => {
    try {
      const response = await fetch(new URL(path, url), { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
      const text = await response.text()
      if (!response.ok) throw new Error(`It answered ${response.status}: ${text.slice(0, 300)}`)
      return schema.parse(JSON.parse(text))
    } catch (cause) {
      throw new LedgerError('ledger_unavailable', 'The ledger does not say which workers are enrolled.', { cause })
    }
  }
  const identity = () => get('/readyz', identitySchema)

  return {
    identity,
    after: async (position) => {
      const ledger = await identity()
      const addresses: EnrolmentSlice['addresses'][number][] = []
      const tees: EnrolmentSlice['tees'][number][] = []
      for (let after: number | null = position; after !== null && after < ledger.head; ) {
        const page: z.output<typeof pageSchema> = await get(`/v1/events?type=reconciler.worker-enrolled&after=${after}&limit=${pageSize}`, pageSchema)
        for (const { workerid, data } of page.events) {
          const { interface: address, push } = enrolmentSchema.safeParse(data).data ?? {}
          if (workerid === undefined) continue
          if (push?.tee !== undefined) tees.push({ workerId: workerid, isTeed: push.tee })
          if (address === undefined) continue
          addresses.push({ workerId: workerid, address: { url: address.url, ...(address.cardUrl !== undefined && { cardUrl: address.cardUrl }) } })
        }
        after = page.next
      }
      return { ...ledger, addresses, tees }
    },
  }
}
