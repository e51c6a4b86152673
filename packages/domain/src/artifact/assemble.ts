/**
 * The artifacts of one attempt, put together from chunks and snapshots (F18).
 *
 * Chunks are assembled per stream of a source; a later stream of that source goes on where the
 * former ended, unless it opens with a snapshot or with `append: false`. Two witnesses are
 * alternatives and never added up. A snapshot is a base for the appends of all.
 */
import type { ArtifactFact, Piece, ReportFact } from '../fact/fact.ts'
import { compareMoments, type Moment } from '../fact/moment.ts'
import type { Violation } from '../task/analysis.ts'
import { unionOfMetadata, type MetadataEntry } from '../task/metadata.ts'
import { orderWitnessed, type SignFact } from '../task/order.ts'
import { isTerminal } from '../task/state.ts'

interface Stretch {
  readonly position: number
  readonly piece: Piece
  readonly atMs: number
  /** True when it stood in a snapshot of a task that had ended. */
  readonly isFromEnd: boolean
}

export interface Assembly {
  /** The artifact id, or `#<index>` where the version has none. */
  readonly identity: string
  readonly ordinal: number
  readonly artifactId?: string
  readonly name?: string
  readonly stretches: readonly Stretch[]
  readonly isSealed: boolean
  readonly bytes: number
  /** Of all its chunks and snapshots, whoever saw them. */
  readonly metadata: readonly MetadataEntry[]
  /** Other witnesses whose version differs. */
  readonly disputedBy: readonly string[]
}

/** One way the artifact was seen: by one stream of one source. */
interface Version {
  readonly source: string
  stretches: Stretch[]
  isSealed: boolean
  /** It began with a chunk that was appended to something this witness never saw. */
  isTail: boolean
  lastTouched: number
}

interface Assembling {
  readonly identity: string
  artifactId?: string
  name?: string
  /** What snapshots alone say; the base of every stream that starts later. */
  base: Version
  readonly versions: Map<string, Version>
  /** What was said of it, in order. */
  readonly told: (Moment & { readonly metadataNames?: readonly string[] | undefined })[]
}

export interface AssembledAttempt {
  readonly assemblies: readonly Assembly[]
  readonly violations: readonly Violation[]
}

const momentOf = ({ atMs, position }: Moment): Moment => ({ atMs, position })
const identityOf = (piece: Piece): string => piece.artifactId ?? `#${piece.index}`
const bytesOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { piece }) => sum + piece.bytes, 0)

export const assembleArtifacts = (signs: readonly SignFact[]): AssembledAttempt => {
  const artifacts = new Map<string, Assembling>()
  const violations: Violation[] = []
  const ended = new Map<string, Moment>()
  const delivered = new Set<string>()
  let touched = 0
  for (const fact of orderWitnessed(signs)) {
    if (fact.kind === 'artifact') {
      const place = placeInStream(fact)
      if (place !== undefined && delivered.has(place)) continue
      if (place !== undefined) delivered.add(place)
      touched += 1
      const artifact = artifactFor(artifacts, fact.piece)
      artifact.told.push({ ...momentOf(fact), metadataNames: fact.piece.metadataNames })
      applyChunk(artifact, fact, touched, violations)
      const end = ended.get(fact.source)
      if (end !== undefined && compareMoments(fact, end) > 0) {
        violations.push({
          code: 'artifact_after_terminal',
          position: fact.position,
          detail: `Artifact ${identityOf(fact.piece)} came after the terminal state that the same witness saw.`,
        })
      }
    } else if (fact.kind === 'report') {
      touched += 1
      applySnapshot(artifacts, fact, touched)
      if (isTerminal(fact.state) && !ended.has(fact.source)) ended.set(fact.source, fact)
    }
  }
  return {
    assemblies: [...artifacts.values()].map((artifact, ordinal) => assemblyOf(artifact, ordinal)),
    violations,
  }
}

/**
 * Where in its stream the chunk stands, with what it says: told there again it is the same chunk,
 * delivered twice. Without a `sequence` only the bytes of the event tell (L2).
 */
const placeInStream = ({ source, streamId, sequence, piece, append }: ArtifactFact): string | undefined =>
  sequence === undefined ? undefined : JSON.stringify([source, streamId, sequence, identityOf(piece), piece.digest, append])

const artifactFor = (artifacts: Map<string, Assembling>, piece: Piece): Assembling => {
  const identity = identityOf(piece)
  const known = artifacts.get(identity)
  const artifact: Assembling = known ?? {
    identity,
    base: { source: '', stretches: [], isSealed: false, isTail: false, lastTouched: 0 },
    versions: new Map<string, Version>(),
    told: [],
  }
  if (known === undefined) artifacts.set(identity, artifact)
  if (piece.artifactId !== undefined) artifact.artifactId ??= piece.artifactId
  if (piece.name !== undefined) artifact.name ??= piece.name
  return artifact
}

const applyChunk = (
  artifact: Assembling,
  fact: ArtifactFact,
  touched: number,
  violations: Violation[],
): void => {
  const key = JSON.stringify([fact.source, fact.streamId ?? null])
  const isUnknown = [artifact.base, ...artifact.versions.values()].every(({ stretches }) => stretches.length === 0)
  const version = artifact.versions.get(key) ?? startVersion(artifact, fact.source)
  artifact.versions.set(key, version)
  const stretch: Stretch = { position: fact.position, piece: fact.piece, atMs: fact.atMs, isFromEnd: false }
  if (!fact.append) {
    version.stretches = [stretch]
    version.isSealed = fact.lastChunk
    version.isTail = false
  } else {
    const flag = (code: Violation['code'], detail: string) =>
      violations.push({ code, position: fact.position, detail: `Artifact ${artifact.identity}: ${detail}` })
    if (isUnknown) flag('artifact_append_to_unknown', 'a chunk was appended before any was there.')
    else if (version.isSealed && fact.piece.bytes > 0) flag('artifact_sealed', 'data was appended after its last chunk.')
    version.isTail ||= version.stretches.length === 0
    version.stretches.push(stretch)
    version.isSealed ||= fact.lastChunk
  }
  version.lastTouched = touched
}

/** A new stream goes on where the former one of its source ended, else at the last snapshot. */
const startVersion = (artifact: Assembling, source: string): Version => {
  const former = [...artifact.versions.values()]
    .filter((version) => version.source === source)
    .toSorted((left, right) => right.lastTouched - left.lastTouched)[0]
  const from = former ?? artifact.base
  return { ...from, source, stretches: [...from.stretches], lastTouched: 0 }
}

/** A snapshot overrides the artifacts it contains and deletes none that it lacks. */
const applySnapshot = (artifacts: Map<string, Assembling>, fact: ReportFact, touched: number): void => {
  const byIdentity = Map.groupBy(fact.pieces ?? [], identityOf)
  for (const [, pieces] of byIdentity) {
    const [first] = pieces
    if (first === undefined) continue
    const artifact = artifactFor(artifacts, first)
    for (const { metadataNames } of pieces) artifact.told.push({ ...momentOf(fact), metadataNames })
    const isFromEnd = fact.form === 'snapshot' && isTerminal(fact.state)
    const stretches = pieces.map((piece) => ({ position: fact.position, piece, atMs: fact.atMs, isFromEnd }))
    const bytes = bytesOf(stretches)
    const isSealed = (version: Version) => version.isSealed && bytesOf(version.stretches) <= bytes
    artifact.base = { source: fact.source, stretches, isSealed: isSealed(artifact.base), isTail: false, lastTouched: touched }
    for (const version of artifact.versions.values()) {
      version.isSealed = isSealed(version)
      version.stretches = [...stretches]
      version.isTail = false
      version.lastTouched = touched
    }
  }
}

/** The sealed version counts, else the longest, else the first. */
const byWorth = (left: Version, right: Version): number =>
  Number(right.isSealed) - Number(left.isSealed) ||
  bytesOf(right.stretches) - bytesOf(left.stretches) ||
  compareMoments(left.stretches[0] ?? never, right.stretches[0] ?? never)

const never: Moment = { atMs: Infinity, position: Infinity }

/**
 * What one witness has to say: its newest version, which replaces the former ones (a stream that
 * opened with `append: false`); or one that goes on from the same chunks and knows more.
 */
const latestOfSource = (versions: readonly Version[]): Version | undefined => {
  const newest = versions.toSorted((left, right) => right.lastTouched - left.lastTouched)[0]
  const goesOn = ({ stretches }: Version) =>
    newest?.stretches.every(({ piece }, index) => piece.digest === stretches[index]?.piece.digest) === true
  return versions.filter(goesOn).toSorted(byWorth)[0]
}

/** Witnesses are alternatives: the version of one counts, the others are named when they differ. */
const assemblyOf = (artifact: Assembling, ordinal: number): Assembly => {
  const bySource = Map.groupBy(artifact.versions.values(), ({ source }) => source)
  const versions = bySource.size > 0 ? [...bySource.values()].flatMap((own) => latestOfSource(own) ?? []) : [artifact.base]
  const chosen = versions.toSorted(byWorth)[0]
  if (chosen === undefined) throw new Error('an artifact has at least one version')
  const disputedBy = versions
    .filter((version) => version.source !== chosen.source && disagrees(version, chosen))
    .map(({ source }) => source)
  return {
    identity: artifact.identity,
    ordinal,
    stretches: chosen.stretches,
    isSealed: chosen.isSealed,
    bytes: bytesOf(chosen.stretches),
    metadata: unionOfMetadata(artifact.told),
    disputedBy: [...new Set(disputedBy)],
    ...(artifact.artifactId !== undefined && { artifactId: artifact.artifactId }),
    ...(artifact.name !== undefined && { name: artifact.name }),
  }
}

/**
 * True when the other witness saw another end, more than the end of the chosen one, or other content
 * at one place. One that only saw less does not disagree.
 */
const disagrees = (other: Version, chosen: Version): boolean => {
  const [bytes, chosenBytes] = [bytesOf(other.stretches), bytesOf(chosen.stretches)]
  if (other.isSealed ? bytes !== chosenBytes : bytes > chosenBytes) return true
  if (other.isTail || chosen.isTail) return false
  const digests = new Map(placesOf(chosen.stretches))
  return placesOf(other.stretches).some(([place, digest]) => (digests.get(place) ?? digest) !== digest)
}

/** The digest of each stretch by where it begins and ends. */
const placesOf = (stretches: readonly Stretch[]): readonly (readonly [place: string, digest: string])[] => {
  let offset = 0
  return stretches.map(({ piece: { bytes, digest } }) => {
    const from = offset
    offset += bytes
    return [`${from}-${offset}`, digest]
  })
}
