/** Lexing of one JSON string, shared by everything that walks JSON text. */

/** Index just after the string that starts at `start`; `text.length` when it never ends. */
export const endOfString = (text: string, start: number): number => {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === 92) backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** The characters of a well-formed string token, quotes included. */
export const decodeString = (raw: string): string =>
  raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1)
