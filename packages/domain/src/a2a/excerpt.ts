/**
 * A text for people and for columns: at most `lengthMax` UTF-16 code units, well-formed, no NUL.
 *
 * What is cut or replaced is still in the raw data (L9); an excerpt is never evidence.
 */
export const excerpt = (text: string, lengthMax: number): string =>
  text.slice(0, lengthMax).replace(/\u0000|\p{Surrogate}/gu, '\uFFFD')
