/**
 * `docs/mutation-survivors.md`: scores, and every change that no test noticed with the reason why.
 *
 * The page is written by a run and read by the next one, which keeps the reason of a change as long as file, code
 * and change are the same, wherever the line is by then. A new survivor has `?` for a reason.
 */
import { reasons, isReason, type Reason } from './reasons.ts'

export interface Survivor {
  /** Below `packages/domain/src`. */
  readonly file: string
  readonly line: number
  /** The code and what it was changed to, on one line. */
  readonly change: string
}

export interface ReasonedSurvivor extends Survivor {
  readonly reason: Reason | '?'
}

/** One folder as it was measured last. */
export interface Measured<S extends Survivor = ReasonedSurvivor> {
  readonly folder: string
  readonly mutants: number
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly survivors: readonly S[]
}

export const percentOf = ({ mutants, survivors }: Measured<Survivor>): number => (100 * (mutants - survivors.length)) / mutants

/** `fresh` with the reasons that `kept` has for the same changes. */
export const withReasons = (fresh: Measured<Survivor>, kept: readonly ReasonedSurvivor[]): Measured => {
  const keyOf = ({ file, change }: Survivor) => `${file} ${change}`
  const known = Map.groupBy(kept, keyOf)
  return {
    ...fresh,
    survivors: fresh.survivors.map((survivor) => ({ ...survivor, reason: known.get(keyOf(survivor))?.shift()?.reason ?? '?' })),
  }
}

const scorePattern = /^\| `(?<folder>[\w-]+)` \| (?<mutants>\d+) \| \d+ \| [\d.]+ % \| (?<day>[\d-]+) \|$/
const headingPattern = /^### `(?<file>\S+)`$/
const survivorPattern = /^ *(?<line>\d+) (?<reason>\S+) +(?<change>.+)$/

/** What a page says. */
export const readPage = (page: string): readonly Measured[] => {
  const scores: Omit<Measured, 'survivors'>[] = []
  const survivors: ReasonedSurvivor[] = []
  let file = ''
  for (const line of page.split('\n')) {
    const score = scorePattern.exec(line)?.groups
    if (score !== undefined) scores.push({ folder: score['folder'] ?? '', mutants: Number(score['mutants']), day: score['day'] ?? '' })
    file = headingPattern.exec(line)?.groups?.['file'] ?? file
    const survivor = survivorPattern.exec(line)?.groups
    if (survivor === undefined) continue
    const { reason = '' } = survivor
    survivors.push({ file, line: Number(survivor['line']), reason: isReason(reason) ? reason : '?', change: survivor['change'] ?? '' })
  }
  return scores.map((score) => ({ ...score, survivors: survivors.filter((each) => each.file.startsWith(`${score.folder}/`)) }))
}

/** The page that says it. */
export const pageOf = (measured: readonly Measured[]): string => {
  const all = measured.flatMap(({ survivors }) => survivors)
  const count = (survivors: readonly ReasonedSurvivor[], word: string) => survivors.filter(({ reason }) => reason === word).length
  const words = [...Object.keys(reasons), ...(count(all, '?') > 0 ? ['?'] : [])]
  const row = (...cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) => [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))]
  return [
    '# Changes that no test noticed',
    '',
    'Written by `npm run mutation`, which [mutation.md](mutation.md) explains; a run replaces the folders that it tried. By hand',
    'only the reason is written, the word after the line number: a run keeps it as long as the code and its change are the',
    'same, and gives `?` to what is new. While there is a `?` the command fails.',
    '',
    '## Scores',
    '',
    ...table(
      ['folder', 'mutants', 'noticed', 'score', 'measured'],
      measured.map((each) => [`\`${each.folder}\``, each.mutants, each.mutants - each.survivors.length, `${percentOf(each).toFixed(1)} %`, each.day]),
    ),
    '',
    '## Reasons',
    '',
    ...table(
      ['reason', ...measured.map(({ folder }) => `\`${folder}\``), 'all', 'why no test notices'],
      [
        ...words.map((word) => [`\`${word}\``, ...measured.map(({ survivors }) => count(survivors, word)), count(all, word), isReason(word) ? reasons[word] : 'not said yet']),
        ['all', ...measured.map(({ survivors }) => survivors.length), all.length, ''],
      ],
    ),
    '',
    '## Survivors',
    ...[...Map.groupBy(all, ({ file }) => file)].flatMap(([file, survivors]) => [
      '',
      `### \`${file}\``,
      '',
      '```text',
      ...survivors.map(({ line, reason, change }) => `${String(line).padStart(4)} ${reason.padEnd(8)} ${change}`),
      '```',
    ]),
    '',
  ].join('\n')
}
