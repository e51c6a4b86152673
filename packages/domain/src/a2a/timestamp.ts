/** `status.timestamp` of any worker, as milliseconds (F3; A2A v1.0 §5.6.1: RFC 3339 in UTC). */
import type { ReadingNote } from './reading.ts'

export interface ParsedTimestamp {
  /** Milliseconds since the epoch; absent when absent on the wire or unusable. */
  readonly ms?: number
  readonly notes: ReadingNote[]
}

const form =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,30}))?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?$/

const invalid = (): ParsedTimestamp => ({ notes: ['timestamp_invalid'] })

/**
 * Reads one wire timestamp.
 *
 * Shape: RFC 3339 with any offset and any number of fractional digits (cut to milliseconds); a leap
 * second is the first moment of the next minute; without a zone UTC is assumed and noted.
 * `undefined` and `null` are absent and note nothing. Everything else (the empty string, numbers,
 * dates without a time, times before 1970, which are unset clocks) is `timestamp_invalid`.
 * Source: cases C134, C136.
 */
export const parseTimestampMs = (wire: unknown): ParsedTimestamp => {
  if (wire === undefined || wire === null) return { notes: [] }
  if (typeof wire !== 'string') return invalid()
  const found = form.exec(wire)
  if (found === null) return invalid()
  const [year, month, day, hour, minute] = found.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const second = Number(found[6] ?? 0)
  const offsetMinutes = Number(found[10] ?? 0) * 60 + Number(found[11] ?? 0)
  const isPossible =
    year >= 1970 &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 60 &&
    offsetMinutes < 1440 &&
    isDay(year, month, day)
  if (!isPossible) return invalid()
  const millisecond = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3))
  const local = Date.UTC(
    year,
    month - 1,
    day,
    hour,
    minute,
    second,
    second === 60 ? 0 : millisecond,
  )
  const ms = local + (found[9] === '-' ? 1 : -1) * offsetMinutes * 60_000
  const hasZone = found[8] !== undefined || found[9] !== undefined
  return { ms, notes: hasZone ? [] : ['timestamp_zone_assumed'] }
}

const isDay = (year: number, month: number, day: number): boolean => {
  if (month < 1 || month > 12 || day < 1) return false
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day <= (days[month - 1] ?? 0)
}
