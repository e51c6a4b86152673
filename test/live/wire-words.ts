/** What an answer said, in a few words that are the same on every run: status, code, shape; never the text. */
import { framesOf, type Answer } from './calls.ts'

interface Body {
  readonly result?: Body
  readonly error?: Body
  readonly task?: Body
  readonly status?: { readonly state?: string } | string
  readonly code?: number | string
  readonly data?: unknown
  readonly details?: unknown
}

export const wireWords = (answer: Answer): string => {
  const frames = framesOf(answer)
  const end = answer.isCut ? ', connection closed in it' : ''
  if (frames === undefined) return `${answer.status} ${bodyWords(answer)}${end}`
  const said = frames.map((body) => bodyWords({ ...answer, contentType: 'application/json', body }))
  return `${answer.status} event stream, ${said.length === 0 ? 'no event' : said.join(', ')}${end}`
}

const bodyWords = ({ body, contentType }: Answer): string => {
  const parsed = parse(body)
  if (parsed === undefined) return body === '' ? 'empty' : contentType
  const task = parsed.result?.task ?? parsed.task ?? parsed.result
  if (typeof task?.status === 'object') return `task, ${task.status.state ?? 'no state'}`
  const type = contentType === 'application/json' ? '' : `${contentType} `
  const error = parsed.error ?? parsed
  const reason = /"reason":\s*"(\w+)"/u.exec(body)?.[1]
  const shape = parsed.error === undefined ? '' : 'error '
  if (error.code === undefined) return `${type}${shape}{${Object.keys(error).join(', ')}}`
  return `${type}${shape}${error.code}${reason === undefined ? '' : ` ${reason}`}`
}

const parse = (text: string): Body | undefined => {
  try {
    return JSON.parse(text) as Body
  } catch {
    return undefined
  }
}
