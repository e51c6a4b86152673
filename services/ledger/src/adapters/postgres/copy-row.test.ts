import { expect, test } from 'vitest'
import { copyRow, type CopyValue } from './copy-row.ts'

test.each<[string, readonly CopyValue[], string]>([
  ['columns are parted by tabs, rows end with a newline', ['a', 'b'], 'a\tb\n'],
  ['null is \\N', [null, 'a'], '\\N\ta\n'],
  ['a text that says \\N is not null', ['\\N'], '\\\\N\n'],
  ['a text that says \\. does not end the data', ['\\.'], '\\\\.\n'],
  ['what parts and ends is escaped', ['a\tb\nc\rd\\e'], 'a\\tb\\nc\\rd\\\\e\n'],
  ['the empty text is not null', [''], '\n'],
  ['numbers and booleans are their text', [9_007_199_254_740_991, true], '9007199254740991\ttrue\n'],
  ['bytes are hex', [new Uint8Array([0, 0xff, 0x5c])], '\\\\x00ff5c\n'],
  ['bytes in the middle of a buffer are those bytes alone', [new Uint8Array([1, 2, 3, 4]).subarray(1, 3)], '\\\\x0203\n'],
  ['characters outside the BMP stay', ['🙂'], '🙂\n'],
])('%s', (_, values, text) => {
  expect(copyRow(values)).toBe(text)
})
