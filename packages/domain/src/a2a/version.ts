/**
 * Which A2A version a payload is of, told by its structure (design §9, case C127).
 *
 * While a payload is read, each member that only one version writes leaves a mark. The oldest mark
 * wins: a newer serialiser never writes a member its version dropped, while old servers do write
 * new spellings (v0.3 over HTTP+JSON spells enums like v1.0). The envelope's `protocolversion`
 * decides only between versions that the marks do not tell apart, and where there is no mark.
 */
import { v0_1 } from './v0-1/profile.ts'
import { v0_2, v0_3 } from './v0-3/profile.ts'
import { v1_0 } from './v1-0/profile.ts'
import type { VersionProfile } from './version-profile.ts'

/**
 * Marks beside those of one version: `proto` (wrappers and enum names of ProtoJSON, which v0.3 writes
 * too, but only over HTTP+JSON and gRPC), and the weak ones `lower-case` (states and roles spelled as
 * before v1.0) and `kind-less` (parts as in v1.0), which count only in a body that tells nothing
 * else, the spelling before the kind.
 */
export type VersionMark = '0.1' | '0.2' | '0.3' | '1.0' | 'proto' | 'lower-case' | 'kind-less'

/** What the envelope says about the version: `protocolversion`, and `binding` in its v1.0 name. */
export interface StatedVersion {
  readonly protocolVersion?: string
  readonly binding?: string
}

export const profiles: readonly VersionProfile[] = [v0_1, v0_2, v0_3, v1_0]

/** `1.0` of `1.0.0`, `v1.0` or `1.0`; `undefined` for anything that begins with no `n.n`. */
export const majorMinor = (text: string | undefined): string | undefined =>
  /^v?(\d{1,3}\.\d{1,3})(?:[.-]|$)/.exec(text ?? '')?.[1]

/** The version the marks tell, with the envelope where they leave a choice. */
export const toldVersion = (
  marks: ReadonlySet<VersionMark>,
  { protocolVersion, binding }: StatedVersion,
): string | undefined => {
  const envelope = majorMinor(protocolVersion)
  if (marks.has('0.1')) return '0.1'
  if (marks.has('0.2')) return '0.2'
  if (marks.has('0.3')) return envelope === '0.2' ? '0.2' : '0.3'
  const isProtoBinding = binding === 'HTTP+JSON' || binding === 'GRPC'
  if (!marks.has('1.0') && marks.has('proto') && envelope === '0.3' && isProtoBinding) return '0.3'
  if (marks.has('1.0') || marks.has('proto')) {
    return envelope !== undefined && /^[1-9]/.test(envelope) ? envelope : '1.0'
  }
  if (envelope !== undefined) return envelope
  if (marks.has('lower-case')) return '0.3'
  return marks.has('kind-less') ? '1.0' : undefined
}

/**
 * True when the structure of the payload itself tells its version, and neither the envelope nor a
 * weak mark had to. `proto` tells it only where v0.3 does not write ProtoJSON.
 */
export const isVersionTold = (marks: ReadonlySet<VersionMark>, { binding }: StatedVersion): boolean =>
  marks.has('0.1') ||
  marks.has('0.2') ||
  marks.has('0.3') ||
  marks.has('1.0') ||
  (marks.has('proto') && binding !== 'HTTP+JSON' && binding !== 'GRPC')

/** The rules of a version; a later one than we know follows the newest we do. */
export const profileOf = (version: string | undefined): VersionProfile | undefined =>
  version === undefined ? undefined : (profiles.find((each) => each.version === version) ?? v1_0)
