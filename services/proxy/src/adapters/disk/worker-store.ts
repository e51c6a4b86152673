/** The known workers, in one file that is replaced as a whole. */
import { open, readFile, rename } from 'node:fs/promises'
import { z } from 'zod'
import type { WorkerStore } from '../../app/ports.ts'

const textMap = z.array(z.tuple([z.string(), z.string()])).transform((entries) => new Map(entries))
const addressSchema = z.object({ url: z.string(), cardUrl: z.string().optional() }).transform(({ url, cardUrl }) => ({ url, ...(cardUrl !== undefined && { cardUrl }) }))

const storedSchema = z.object({
  ledgerId: z.string(),
  epoch: z.int(),
  position: z.int(),
  workers: z.array(z.tuple([z.string(), addressSchema])).transform((entries) => new Map(entries)),
  tees: z.array(z.tuple([z.string(), z.boolean()])).default([]).transform((entries) => new Map(entries)), // of an older version: nobody said
  interfaces: z.array(z.tuple([z.string(), textMap])).transform((entries) => new Map(entries)),
})

export function createWorkerStore(path: string): WorkerStore {
  return {
    load: async () => {
      const text = await readFile(path, 'utf8').catch(() => '')
      return storedSchema.safeParse(jsonOf(text)).data
    },
    save: async ({ workers, tees, interfaces, ...rest }) => {
      const stored = { ...rest, workers: [...workers], tees: [...tees], interfaces: [...interfaces].map(([id, keyed]) => [id, [...keyed]]) }
      const file = await open(`${path}.new`, 'w')
      try {
        await file.writeFile(JSON.stringify(stored))
        await file.datasync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
    },
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not there, or not ours: the ledger is read from its beginning
  }
}
