import { describe, expect, it } from 'vitest'
import { fillIn, quotable } from './wording.ts'

describe('quotable', () => {
  it.each<[string, string, string]>([
    ['plain words stay as they are', ' Which invoice? ', ' Which invoice? '],
    ['quotes and other scripts stay', '„Welche?“ "どれ" 🙂', '„Welche?“ "どれ" 🙂'],
    ['line breaks and tabs become spaces', 'a\nb\tc\r\nd', 'a b c  d'],
    ['control characters go', 'a\u0000b\u001b[31mc\u007f\u0085', 'ab[31mc'],
    ['marks that turn the direction of text go', 'a\u202eb\u2066c', 'abc'],
    ['line separators become spaces', 'a\u2028b\u2029c', 'a b c'],
    ['more than 200 characters are cut', 'x'.repeat(300), 'x'.repeat(200)],
    ['of a cut text only the end may lose half a character', `🙂${'x'.repeat(300)}`, `🙂${'x'.repeat(198)}`],
    ['a text that is not cut stays as it is, with whatever it ends', `${'x'.repeat(199)}\ud83d`, `${'x'.repeat(199)}\ud83d`],
    ['a cut never halves a character', `${'x'.repeat(199)}🙂`, 'x'.repeat(199)],
  ])('%s', (_fact, text, quoted) => {
    expect(quotable(text)).toBe(quoted)
  })
})

describe('fillIn', () => {
  it.each<[string, string, { workerId?: string; taskId?: string }, string]>([
    ['ids take their places', 'worker {worker} lost task {task}', { workerId: 'w1', taskId: 't-1' }, 'worker w1 lost task t-1'],
    ['a place may come twice', '{worker} and {worker}', { workerId: 'w1' }, 'w1 and w1'],
    ['without ids the sentence still reads', 'ask worker {worker} for task {task} of {worker}', {}, 'ask the worker for the task of the worker'],
    ['a long id is cut', '{worker}', { workerId: 'w'.repeat(65) }, `${'w'.repeat(63)}…`],
    ['an id of 64 characters is not', '{worker}', { workerId: 'w'.repeat(64) }, 'w'.repeat(64)],
    ['controls in an id go', '{worker}', { workerId: 'w\u0000-\u202e1' }, 'w-1'],
    ['an id is text and no pattern', '{worker}', { workerId: '$& $1 {task}', taskId: 't-1' }, '$& $1 {task}'],
  ])('%s', (_fact, template, ids, sentence) => {
    expect(fillIn(template, ids)).toBe(sentence)
  })
})
