/**
 * Milliseconds since the epoch of an RFC 3339 timestamp, or `undefined` when it is none.
 *
 * Stricter than `Date.parse` (an offset is required, days exist) and wider: lower-case `t` and `z`,
 * any number of fraction digits (cut to milliseconds), and a leap second, which is taken as the
 * last millisecond before it.
 */
export function rfc3339Ms(text: string): number | undefined {
  const match = form.exec(text)
  if (!match) return undefined
  const number = (index: number): number => Number(match[index] ?? '0')
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(number) as Six
  const [offsetHour, offsetMinute] = [number(9), number(10)]
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
  const isTime = hour <= 23 && minute <= 59 && second <= 60
  if (!isDate || !isTime || offsetHour > 23 || offsetMinute > 59) return undefined
  const isLeapSecond = second === 60
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; 400 years later the calendar is the same.
  const dayMs = Date.UTC(year + 400, month - 1, day) - msPer400Years
  const offsetMs = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * 60_000
  const timeMs = ((hour * 60 + minute) * 60 + (isLeapSecond ? 59 : second)) * 1000
  return dayMs + timeMs + (isLeapSecond ? 999 : milliseconds(match[7])) - offsetMs
}

type Six = [number, number, number, number, number, number]

const form =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

const msPer400Years = 146_097 * 86_400_000

const milliseconds = (fraction = ''): number => Number(fraction.slice(0, 3).padEnd(3, '0'))

const daysIn = (year: number, month: number): number => {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}
