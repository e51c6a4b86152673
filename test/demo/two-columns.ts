/**
 * A table of two answers to the same questions that fits an 80-column terminal: a label, a left
 * and a right cell, each wrapped at spaces.
 */
const widths = { label: 10, cell: 33 } as const
const ruler = '─'.repeat(80)

export type Row = readonly [label: string, left: string, right: string]

export function renderTwoColumns(heading: Row, rows: readonly Row[]): string {
  return [ruler, renderRow(heading), ruler, ...rows.map(renderRow), ruler].join('\n')
}

function renderRow(row: Row): string {
  const [label, left, right] = row.map((cell, index) =>
    wrap(cell, index === 0 ? widths.label : widths.cell),
  ) as [string[], string[], string[]]
  const height = Math.max(label.length, left.length, right.length)
  return Array.from({ length: height }, (_, line) =>
    [
      (label[line] ?? '').padEnd(widths.label),
      (left[line] ?? '').padEnd(widths.cell),
      right[line] ?? '',
    ].join('  ').trimEnd(),
  ).join('\n')
}

/**
 * Breaks each paragraph at spaces and keeps its indent. Words longer than the width are broken:
 * ids are, and they must not push a column aside.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    const indent = paragraph.match(/^ */u)![0]
    const room = width - indent.length
    let line = ''
    for (const word of paragraph.trim().split(' ').flatMap((long) => chunk(long, room))) {
      if (line !== '' && line.length + 1 + word.length > room) {
        lines.push(indent + line)
        line = word
      } else {
        line = line === '' ? word : `${line} ${word}`
      }
    }
    lines.push(indent + line)
  }
  return lines
}

function chunk(word: string, width: number): string[] {
  return word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? ['']
}
