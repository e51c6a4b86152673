import { expect, test } from 'vitest'
import { watchSafely } from './watch-safely.ts'

const answer = { status: 200, contentType: undefined, instance: undefined, cacheControl: undefined, etag: undefined }

const unexpected = (error: unknown): never => expect.unreachable(String(error))

test('a watch that fails, at its beginning or later, is told and harms nobody', () => {
  const failures: unknown[] = []
  const failing = (what: string) => (): never => {
    throw what
  }
  watchSafely(failing('begin'), (error) => failures.push(error)).unanswered('reset')
  watchSafely(() => ({ answered: failing('answered'), frame: failing('frame') }), (error) => failures.push(error)).answered(answer, { bytes: new Uint8Array() })
  expect(failures).toEqual(['begin', 'answered'])
})

test('what is not watched of a call, or no call at all, is passed over', () => {
  const frames: string[] = []
  const watched = watchSafely(() => ({ reading: { binding: 'HTTP+JSON', operation: 'Push', sends: [] }, frame: (data) => frames.push(data) }), unexpected)
  watched.streams(answer)
  watched.frame('one')
  watched.streamEnded('closed')
  expect(watched.reading?.operation).toBe('Push')
  expect(frames).toEqual(['one'])
  const none = watchSafely(() => undefined, unexpected)
  none.frame('two')
  expect(none.reading).toBeUndefined()
})
