/** What an earlier process left in the folder of the spool, made usable again. */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../app/ports.ts'
import { framedAt, frameBytes } from './spool-entry.ts'

export interface SpoolFile {
  readonly name: string
  readonly number: number
  /** Bytes of whole entries in it. */
  bytes: number
}

/** Which file is read, and from where. */
export interface SpoolCursor {
  readonly number: number
  readonly offset: number
}

export interface RecoveredSpool {
  /** In order. */
  readonly files: SpoolFile[]
  readonly cursor: SpoolCursor
  readonly waitingEntries: number
  readonly waitingBytes: number
}

const scanBytes = 4 * 1024 * 1024

export const fileName = (number: number): string => `${String(number).padStart(8, '0')}.spool`

/** Cuts each file behind its last whole entry, and counts what waits behind the cursor. */
export async function recoverSpool(folder: string, cursorText: string, log: Log): Promise<RecoveredSpool> {
  const numbers = (await readdir(folder)).flatMap((name) => /^(\d{8,})[.]spool$/.exec(name)?.[1] ?? []).map(Number)
  const [, numberText, offsetText] = /^(\d+) (\d+)$/.exec(cursorText) ?? []
  const said = { number: Number(numberText ?? 0), offset: Number(offsetText ?? 0) }
  const files: SpoolFile[] = []
  let waitingEntries = 0
  let waitingBytes = 0
  for (const number of numbers.toSorted((left, right) => left - right)) {
    const offset = number === said.number ? said.offset : 0
    const { bytes, cutBytes, entries } = await recoverFile(join(folder, fileName(number)), number < said.number ? Infinity : offset)
    if (cutBytes > 0) log.warn({ file: fileName(number), cutBytes }, 'the spool ended in the middle of an entry, which is cut off')
    files.push({ name: fileName(number), number, bytes })
    waitingEntries += entries
    waitingBytes += number < said.number ? 0 : Math.max(0, bytes - offset)
  }
  return { files, cursor: said, waitingEntries, waitingBytes }
}

async function recoverFile(path: string, from: number): Promise<{ readonly bytes: number; readonly cutBytes: number; readonly entries: number }> {
  const handle = await open(path, constants.O_RDWR)
  try {
    const { size } = await handle.stat()
    let at = 0
    let entries = 0
    for (let frame = await frameAt(handle, at, size); frame !== undefined; frame = await frameAt(handle, at, size)) {
      for (const end of frame) {
        if (at >= from) entries += 1
        at = end
      }
    }
    if (at < size) await handle.truncate(at)
    return { bytes: at, cutBytes: size - at, entries }
  } finally {
    await handle.close()
  }
}

/** Where the entries that begin at `at` end, as many as are read at once; `undefined`: no whole one. */
async function frameAt(handle: FileHandle, at: number, size: number): Promise<readonly number[] | undefined> {
  for (let length = Math.min(scanBytes, size - at); length >= frameBytes; length = Math.min(length * 4, size - at)) {
    const buffer = Buffer.allocUnsafe(length)
    await handle.read(buffer, 0, length, at)
    const ends: number[] = []
    for (let next = framedAt(buffer, 0); next !== undefined; next = framedAt(buffer, next.end)) ends.push(at + next.end)
    if (ends.length > 0) return ends
    if (length === size - at) return undefined
  }
  return undefined
}
