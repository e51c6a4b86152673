/** A small file that is written over and over in place, so that a process that is killed leaves the last text. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

export interface StateFile {
  /** What stood there when it was opened; empty: nothing. */
  readonly before: string
  readonly write: (text: string) => Promise<void>
  readonly close: () => Promise<void>
}

export async function openStateFile(path: string): Promise<StateFile> {
  const handle: FileHandle = await open(path, constants.O_RDWR | constants.O_CREAT)
  const before = await handle.readFile('utf8')
  let lengthMax = Buffer.byteLength(before)
  return {
    before: before.trimEnd(),
    write: async (text) => {
      // One write, as long as any before it: no moment in which half of it stands there.
      const bytes = Buffer.from(text)
      lengthMax = Math.max(lengthMax, bytes.length)
      const padded = Buffer.alloc(lengthMax, ' ')
      bytes.copy(padded)
      await handle.write(padded, 0, padded.length, 0)
    },
    close: async () => {
      await handle.datasync()
      await handle.close()
    },
  }
}
