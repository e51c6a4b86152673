import { describe, expect, test } from 'vitest'
import { isVersionTold, majorMinor, toldVersion, type VersionMark } from './version.ts'

describe('the version a payload tells (oldest strong mark, envelope, weak marks)', () => {
  test.each<[readonly VersionMark[], string | undefined, string | undefined, string?]>([
    [[], undefined, undefined],
    [[], '1.0.0', '1.0'],
    [[], 'next', undefined],
    [['1.0'], undefined, '1.0'],
    [['1.0'], '0.3', '1.0'],
    [['1.0'], '1.1', '1.1'],
    [['proto'], '0.3', '1.0'],
    [['proto'], '0.3', '1.0', 'JSONRPC'],
    [['proto'], '0.3', '0.3', 'HTTP+JSON'],
    [['proto'], '0.3', '0.3', 'GRPC'],
    [['proto', '1.0'], '0.3', '1.0', 'GRPC'],
    [['proto'], undefined, '1.0', 'HTTP+JSON'],
    [['0.3', '1.0'], '1.0', '0.3'],
    [['0.3'], '0.2.6', '0.2'],
    [['0.1', '0.3', '1.0'], '1.0', '0.1'],
    [['lower-case'], undefined, '0.3'],
    [['lower-case'], '1.0', '1.0'],
    [['kind-less'], undefined, '1.0'],
    [['kind-less'], '0.3', '0.3'],
    [['kind-less', 'lower-case'], undefined, '0.3'],
  ])('marks %s beside an envelope that says %s: %s %s', (marks, stated, version, binding) => {
    const envelope = {
      ...(stated === undefined ? {} : { protocolVersion: stated }),
      ...(binding === undefined ? {} : { binding }),
    }
    expect(toldVersion(new Set(marks), envelope)).toBe(version)
  })

  test.each<[readonly VersionMark[], string | undefined, boolean]>([
    [['0.1'], undefined, true],
    [['0.2'], undefined, true],
    [['0.3'], 'HTTP+JSON', true],
    [['1.0'], 'GRPC', true],
    [['proto'], undefined, true],
    [['proto'], 'JSONRPC', true],
    [['proto'], 'HTTP+JSON', false],
    [['proto'], 'GRPC', false],
    [['lower-case', 'kind-less'], undefined, false],
    [[], undefined, false],
  ])('marks %s over %s tell the version by themselves: %s', (marks, binding, isTold) => {
    expect(isVersionTold(new Set(marks), binding === undefined ? {} : { binding })).toBe(isTold)
  })

  test.each([
    ['1.0', '1.0'],
    ['v0.3', '0.3'],
    ['0.2.5', '0.2'],
    ['1.0-rc', '1.0'],
    ['1', undefined],
    ['', undefined],
  ])('majorMinor of %s is %s', (text, version) => {
    expect(majorMinor(text)).toBe(version)
  })
})
