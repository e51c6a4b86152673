/**
 * The corpora beside the repository (`../shared/cases` of its root), where they are there. They are
 * measurements, not part of the repository: tests over them say visibly when they are skipped.
 */
import { existsSync, readFileSync } from 'node:fs'

const casesUrl = new URL('../../../../../../shared/cases/', import.meta.url)

export const hasSharedCases = existsSync(new URL('payloads/MANIFEST.tsv', casesUrl))

/** The rows of one corpus' manifest, by column name. */
export const manifestOf = (
  corpus: 'payloads' | 'captures',
): readonly Readonly<Record<string, string>>[] => {
  if (!hasSharedCases) return []
  const text = readFileSync(new URL(`${corpus}/MANIFEST.tsv`, casesUrl), 'utf8')
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const columns = head.split('\t')
  return lines.map((line) => {
    const cells = line.split('\t')
    return Object.fromEntries(columns.map((column, n) => [column, cells[n] ?? '']))
  })
}

export const bodyOf = (corpus: 'payloads' | 'captures', file: string): string =>
  readFileSync(new URL(`${corpus}/${file}`, casesUrl), 'utf8')
