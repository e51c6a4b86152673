/**
 * The spool: a log in files, written at one end and read at the other.
 *
 *     00000007.spool 00000008.spool …   entries, one after the other; a file is removed once read
 *     cursor                            which file is read, and from where
 *     notes.json                        what would be lost with this process (`SpoolNotes`)
 *
 * Entries are written right after the turn of the event loop in which they came, together, by one
 * write: a killed process loses what came in that moment and nothing that the operating system has.
 * `fdatasync` follows within a second: a machine that loses its power loses at most that, and of it
 * only what the ledger did not have yet. A sync for each call would cost every call a disk's
 * latency, to guard what is most likely in the ledger a moment later.
 *
 * Worst case on opening: the last file ends in the middle of an entry; it is cut off. A cursor that
 * is behind gives entries again, which the ledger tells by their ids.
 */
import type { Spool, SpoolEntry, SpoolNotes } from '@a2a-ledger/witness/recording'
import type { Log } from '../../app/ports.ts'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileName, recoverSpool, type SpoolFile } from './recover-spool.ts'
import { framedAt, fromSpoolContent, toSpoolBytes } from './spool-entry.ts'
import { openStateFile } from './state-file.ts'

export interface SpoolOptions {
  readonly folder: string
  /** Bytes that may wait; on the disk there may be one file more. */
  readonly bytesMax: number
  readonly log: Log
  /** Is told of entries that could not be written. */
  readonly lost: (entries: readonly SpoolEntry[]) => void
}

export interface OpenSpool {
  readonly spool: Spool
  /** What an earlier process noted last; `wasKilled` where it did not end properly. */
  readonly left: { readonly notes: SpoolNotes; readonly wasKilled: boolean } | undefined
}

const fileBytesMax = 16 * 1024 * 1024
const readBytesMax = 4 * 1024 * 1024
const syncMs = 1_000
/** What may wait to be written: more would only grow while the disk does not answer. */
const pendingBytesMax = 32 * 1024 * 1024

interface Pending {
  readonly entry: SpoolEntry
  readonly bytes: Buffer
}

interface Peeked {
  readonly file: SpoolFile
  readonly end: number
  readonly bytes: number
}

export async function openSpool({ folder, bytesMax, log, lost }: SpoolOptions): Promise<OpenSpool> {
  await mkdir(folder, { recursive: true })
  const cursorFile = await openStateFile(join(folder, 'cursor'))
  const notesFile = await openStateFile(join(folder, 'notes.json'))
  const recovered = await recoverSpool(folder, cursorFile.before, log)
  const { files } = recovered
  const fileBytes = Math.min(fileBytesMax, Math.ceil(bytesMax / 4))

  let { cursor, waitingEntries, waitingBytes } = recovered
  let pending: Pending[] = []
  let pendingBytes = 0
  let notes: SpoolNotes = { gaps: [], runningCalls: {}, at: '' }
  let areNotesDue = false
  let writing: Promise<void> | undefined
  let isSyncDue = false
  let isFailing = false
  let isClosing = false
  let writer = await openWriter()
  let reader: { readonly file: SpoolFile; readonly handle: FileHandle } | undefined
  let peeked: readonly Peeked[] = []
  let wake: () => void = () => undefined

  async function openWriter(): Promise<{ readonly file: SpoolFile; readonly handle: FileHandle }> {
    const last = files.at(-1)
    if (last !== undefined && last.bytes < fileBytes) return { file: last, handle: await open(join(folder, last.name), constants.O_RDWR) }
    const number = Math.max(last?.number ?? 0, cursor.number) + 1
    const file = { name: fileName(number), number, bytes: 0 }
    const handle = await open(join(folder, file.name), constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC)
    files.push(file)
    return { file, handle }
  }

  const writeEntries = async (batch: readonly Pending[]): Promise<void> => {
    if (writer.file.bytes >= fileBytes) {
      const { handle } = writer
      await handle.datasync()
      writer = await openWriter()
      await handle.close()
    }
    const bytes = Buffer.concat(batch.map((each) => each.bytes))
    // What a failed write left behind the end that counts is written over.
    await writer.handle.write(bytes, 0, bytes.length, writer.file.bytes)
    writer.file.bytes += bytes.length
    isSyncDue = true
    wake()
  }

  const failed = (error: unknown): void => {
    if (!isFailing) log.error({ err: error }, 'the spool cannot be written; what is seen is only counted')
    isFailing = true
  }

  const giveUp = (batch: readonly Pending[]): void => {
    waitingEntries -= batch.length
    for (const each of batch) waitingBytes -= each.bytes.length
    lost(batch.map(({ entry }) => entry))
  }

  const writeOn = async (): Promise<void> => {
    while (pending.length > 0 || areNotesDue) {
      const batch = pending
      pending = []
      pendingBytes = 0
      if (batch.length > 0) {
        try {
          await writeEntries(batch)
          isFailing = false
        } catch (error) {
          failed(error)
          giveUp(batch)
        }
      }
      if (!areNotesDue) continue
      areNotesDue = false
      await notesFile.write(JSON.stringify(notes)).catch(failed)
    }
    writing = undefined
  }

  const schedule = (): void => {
    writing ??= new Promise<void>((resolve) => void setImmediate(resolve)).then(writeOn)
  }

  const sync = setInterval(() => {
    if (!isSyncDue) return
    isSyncDue = false
    writer.handle.datasync().catch((error: unknown) => log.error({ err: error }, 'the spool could not be brought to the disk'))
  }, syncMs)
  sync.unref()

  const readerOf = async (file: SpoolFile): Promise<FileHandle> => {
    if (reader?.file === file) return reader.handle
    await reader?.handle.close()
    reader = { file, handle: await open(join(folder, file.name), constants.O_RDONLY) }
    return reader.handle
  }

  /** The file to read on in: the one of the cursor, or the next one when that is read to its end. */
  const place = (): { readonly file: SpoolFile; readonly offset: number } | undefined => {
    for (const file of files) {
      const offset = file.number < cursor.number ? file.bytes : file.number === cursor.number ? cursor.offset : 0
      if (offset < file.bytes) return { file, offset }
    }
    return undefined
  }

  /** A disk that gives back other bytes than were written: the rest of the file is of no use. */
  const skip = (file: SpoolFile, offset: number): void => {
    log.error({ file: file.name, lostBytes: file.bytes - offset }, 'the spool cannot be read to the end of a file; the rest of it is lost')
    waitingBytes -= file.bytes - offset
    cursor = { number: file.number, offset: file.bytes }
  }

  const peek: Spool['peek'] = async (countMax) => {
    const from = place()
    if (from === undefined) return []
    const { file, offset } = from
    const handle = await readerOf(file)
    const found: Peeked[] = []
    const entries: SpoolEntry[] = []
    // An entry that is larger than what is read at once takes a second look.
    for (let size = Math.min(readBytesMax, file.bytes - offset); found.length === 0; size = file.bytes - offset) {
      const buffer = Buffer.allocUnsafe(size)
      await handle.read(buffer, 0, size, offset)
      for (let next = framedAt(buffer, 0); next !== undefined && found.length < countMax; next = framedAt(buffer, next.end)) {
        found.push({ file, end: offset + next.end, bytes: offset + next.end - (found.at(-1)?.end ?? offset) })
        entries.push(fromSpoolContent(next.content))
      }
      if (size === file.bytes - offset) break
    }
    if (found.length === 0) skip(file, offset)
    peeked = found
    return entries
  }

  const advance: Spool['advance'] = async (count) => {
    const last = peeked[count - 1]
    if (last === undefined) return
    waitingEntries -= count
    for (const { bytes } of peeked.slice(0, count)) waitingBytes -= bytes
    peeked = peeked.slice(count)
    cursor = { number: last.file.number, offset: last.end }
    for (const file of files.filter(({ number }) => number < cursor.number)) {
      files.splice(files.indexOf(file), 1)
      await unlink(join(folder, file.name))
    }
    await cursorFile.write(`${cursor.number} ${cursor.offset}`)
  }

  const spool: Spool = {
    append: (entry) => {
      const bytes = toSpoolBytes(entry)
      if (isClosing || waitingBytes + bytes.length > bytesMax || pendingBytes + bytes.length > pendingBytesMax) return false
      pending.push({ entry, bytes })
      pendingBytes += bytes.length
      waitingBytes += bytes.length
      waitingEntries += 1
      schedule()
      return true
    },
    note: (said) => {
      notes = said
      areNotesDue = true
      if (!isClosing) schedule()
    },
    peek,
    advance,
    more: (atMostMs) =>
      new Promise((resolve) => {
        const timeout = setTimeout(resolve, atMostMs)
        wake = () => {
          clearTimeout(timeout)
          resolve()
        }
      }),
    status: () => ({ entries: waitingEntries, bytes: waitingBytes }),
    close: async () => {
      isClosing = true
      clearInterval(sync)
      await writing
      await writer.handle.datasync()
      await notesFile.write(JSON.stringify({ ...notes, isClosed: true }))
      await Promise.all([notesFile.close(), cursorFile.close(), writer.handle.close(), reader?.handle.close()])
    },
  }
  return { spool, left: notesIn(notesFile.before) }
}

function notesIn(text: string): OpenSpool['left'] {
  try {
    const { isClosed, ...notes } = JSON.parse(text) as SpoolNotes & { readonly isClosed?: boolean }
    return { notes, wasKilled: isClosed !== true }
  } catch {
    return undefined // a first start: nothing stands there
  }
}
