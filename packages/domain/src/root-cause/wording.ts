/** How ids and other people's words get into our sentences. */
import type { Proof } from './finding.ts'

const idLengthMax = 64
const quoteLengthMax = 200

/** Controls, line separators and marks that turn the direction of text: never part of a sentence. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
const whiteSpace = /[\t\n\r\u2028\u2029]/g

const cut = (text: string, lengthMax: number): string =>
  text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(/[\uD800-\uDBFF]$/, '')

/** One line of printable text: white space stays, controls go, at most 200 characters. */
export const quotable = (text: string): string =>
  cut(text.replace(whiteSpace, ' ').replace(unprintable, ''), quoteLengthMax)

/** An id as it may stand in a sentence: printable, at most 64 characters. */
export const named = (id: string): string => {
  const line = id.replace(unprintable, '')
  return line.length <= idLengthMax ? line : `${cut(line, idLengthMax - 1)}…`
}

/** `{worker}` and `{task}` replaced by their ids; without an id the sentence still reads. */
export const fillIn = (template: string, { workerId, taskId }: Pick<Proof, 'workerId' | 'taskId'>): string =>
  template.replace(/(worker |task )?\{(worker|task)\}/g, (_, noun = '', kind) => {
    const id = kind === 'worker' ? workerId : taskId
    return id === undefined ? `the ${kind}` : `${noun}${named(id)}`
  })
