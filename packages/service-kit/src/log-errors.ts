/** How every service writes an error to its log. */
import { LedgerError } from '@a2a-ledger/domain'

/** What is written of an error; nothing else of it, since libraries hang their connections on theirs. */
interface ToldError {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly cause?: ToldError
  readonly stack?: string
}

/** For the logger: members called `err` are errors. */
export const logSerializers = { err: tellError }

/** Message and code; the stack of a fault of ours alone. */
export function tellError(error: unknown): ToldError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { cause, stack } = error
  return {
    type: error.name,
    message: textOf(error),
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(cause !== undefined && { cause: tellError(cause) }),
    ...(stack !== undefined && !isFromOutside(error) && { stack }),
  }
}

/** An attempt at several addresses has no words of its own. */
const textOf = (error: Error): string =>
  error.message === '' && error instanceof AggregateError ? error.errors.map((each) => tellError(each).message).join('; ') : error.message

const isFromOutside = (error: Error): boolean =>
  error instanceof LedgerError ? error.kind !== 'defect' : 'code' in error || 'client' in error
