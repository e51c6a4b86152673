/** Whether JSON numbers survive a double: told from their text, never by comparing doubles. */

interface Decimal {
  readonly isNegative: boolean
  /** Significant digits without leading or trailing zeros; empty for zero. */
  readonly digits: string
  /** Power of ten of the last digit. */
  readonly exponent: number
}

const decimalOf = (text: string): Decimal => {
  const isNegative = text.startsWith('-')
  const [mantissa = '', power = '0'] = (isNegative ? text.slice(1) : text).toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = (whole + fraction).replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  const exponent = Number(power) - fraction.length + (all.length - digits.length)
  return digits === ''
    ? { isNegative: false, digits, exponent: 0 }
    : { isNegative, digits, exponent }
}

/**
 * True when `JSON.parse` followed by `JSON.stringify` would give another decimal value.
 *
 * Shape: the text of one well-formed JSON number. `9007199254740993`, `3364326223160287232` and
 * `1e400` lose; `0.1`, `1.0` and `3.364326223160287e+18` do not.
 * Source: RFC 8259 §6; cases C142–C144.
 */
export const losesPrecision = (text: string): boolean => {
  if (text.length <= 15 && !/[eE]/.test(text)) return false
  const value = Number(text)
  if (!Number.isFinite(value)) return true
  const before = decimalOf(text)
  const after = decimalOf(String(value))
  return (
    before.digits !== after.digits ||
    before.exponent !== after.exponent ||
    before.isNegative !== after.isNegative
  )
}

/**
 * One spelling for every spelling of a number that a double holds; the received text otherwise.
 *
 * Shape: `1.0`, `1` and `1e0` are `1`; a number that loses precision stays as it was received.
 */
export const canonicalNumber = (text: string): string =>
  losesPrecision(text) ? text : String(Object.is(Number(text), -0) ? 0 : Number(text))
