import { describe, expect, test } from 'vitest'
import { createPushSeal } from './push-seal.ts'

const target = { url: 'https://o.example.com/hook?a=ü', correlationId: 'order-42' }
const { seal, open } = createPushSeal('k'.repeat(32))

describe('a sealed push address', () => {
  test('is opened by whoever has the key', () => {
    const sealed = seal('w1', target)
    expect(sealed).toMatch(/^[\w-]+$/)
    expect(createPushSeal('k'.repeat(32)).open('w1', sealed)).toEqual(target)
    expect(open('w1', seal('w1', { url: target.url }))).toEqual({ url: target.url })
  })

  test('says nothing, and is another one each time', () => {
    const sealed = [seal('w1', target), seal('w1', target)]
    expect(new Set(sealed).size).toBe(2)
    expect(Buffer.from(sealed[0] ?? '', 'base64url').toString('latin1')).not.toContain('example')
  })

  test.each<[fact: string, workerId: string, sealed: () => string]>([
    ['for another worker', 'w2', () => seal('w1', target)],
    ['with another key', 'w1', () => createPushSeal('x'.repeat(32)).seal('w1', target)],
    ['cut short', 'w1', () => seal('w1', target).slice(0, -2)],
    ['made longer', 'w1', () => `${seal('w1', target)}AA`],
    ['spelled otherwise', 'w1', () => `${seal('w1', target)}=`],
    ['of nothing', 'w1', () => ''],
    ['of one letter', 'w1', () => 'A'],
    ['of as much as stands before a target', 'w1', () => 'A'.repeat(38)],
  ])('%s is none', (_fact, workerId, sealed) => {
    expect(open(workerId, sealed())).toBeUndefined()
  })

  test('with any bit changed is none', () => {
    const bytes = Buffer.from(seal('w1', target), 'base64url')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(open('w1', changed.toString('base64url')), String(at)).toBeUndefined()
    }
  })
})
