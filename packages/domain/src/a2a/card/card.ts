/** Agent cards of every version, and our extension in them (v1.0 §4.4.1; contract §5; C158–C167). */
import { canonicalValue } from '../../json/canonical-json.ts'
import type { JsonValue } from '../../json/document.ts'
import { essenceOf } from '../../media-type/media-type.ts'
import type { TaskState } from '../../task/state.ts'
import { continuityUri } from '../claim.ts'
import { defined } from '../defined.ts'
import { excerpt } from '../excerpt.ts'
import type { CardReading, SkillReading } from '../reading.ts'
import { offersGrpc } from './interfaces.ts'
import { snakeOf } from '../snake.ts'
import type { Draft, Reader } from '../reader.ts'
import { parseTaskState } from '../task-state.ts'
import { majorMinor, profiles } from '../version.ts'
import type { VersionProfile } from '../version-profile.ts'

/** Where a card is reached and who vouches for it: says nothing about what the worker can do. */
const notEssence: ReadonlySet<string> = new Set([
  'url',
  'supportedInterfaces',
  'supported_interfaces',
  'additionalInterfaces',
  'additional_interfaces',
  'preferredTransport',
  'preferred_transport',
  'signatures',
])

const listMax = 1000

const modesOf = (
  reader: Reader,
  holder: JsonValue,
  name: string,
): readonly string[] | undefined => {
  const modes = reader.strings(holder, name)?.filter((mode) => mode.trim() !== '')
  if (modes === undefined || modes.length === 0) return undefined
  return [...new Set(modes.slice(0, listMax).map((mode) => excerpt(essenceOf(mode), 256)))]
}

const skillsOf = (reader: Reader, card: JsonValue): readonly SkillReading[] =>
  reader
    .objects(card, 'skills')
    .slice(0, listMax)
    .flatMap((skill) => {
      const id = reader.text(skill, 'id') ?? reader.text(skill, 'name')
      if (id === undefined) return []
      return [{ id, ...defined({ outputModes: modesOf(reader, skill, 'outputModes') }) }]
    })

/** `protocolVersion` of the card (v0.3) and of its interfaces (v1.0), in that order. */
const versionsOf = (reader: Reader, card: JsonValue): readonly string[] => {
  const interfaces = reader.objects(card, 'supportedInterfaces')
  const stated = [
    reader.text(card, 'protocolVersion'),
    ...(reader.strings(card, 'protocolVersions') ?? []),
    ...interfaces.map((each) => reader.text(each, 'protocolVersion')),
  ]
  const known = stated.flatMap((text) => majorMinor(text) ?? [])
  return [...new Set(known)]
}

/** True where the card states the member at all; ProtoJSON reads `null` as the default value. */
const states = (card: JsonValue, name: string): boolean =>
  card.get(name) !== undefined || card.get(snakeOf(name)) !== undefined

/**
 * The versions whose rules the card must follow, told by its form: `supportedInterfaces` is v1.0's,
 * a `protocolVersion` of the card itself v0.3's, whatever number stands in it.
 */
const profilesOf = (reader: Reader, card: JsonValue): readonly VersionProfile[] => {
  const stated = majorMinor(reader.text(card, 'protocolVersion'))
  const older = stated === '0.1' || stated === '0.2' ? stated : '0.3'
  return profiles.filter(
    ({ version }) =>
      (version === '1.0' && states(card, 'supportedInterfaces')) ||
      (version === older && states(card, 'protocolVersion')),
  )
}

const missingFor = (card: JsonValue, { cardMembersRequired }: VersionProfile): readonly string[] =>
  cardMembersRequired.filter((name) => !states(card, name))

/** Required members that are absent: of the version that lacks fewest, else what all versions require. */
const missingOf = (card: JsonValue, own: readonly VersionProfile[]): readonly string[] => {
  const lists = own.map((profile) => missingFor(card, profile))
  if (lists.length > 0)
    return lists.reduce((least, each) => (each.length < least.length ? each : least))
  return profiles
    .map((profile) => missingFor(card, profile))
    .reduce((common, each) => common.filter((name) => each.includes(name)))
}

const statesOf = (
  reader: Reader,
  params: JsonValue,
  name: string,
): readonly TaskState[] | undefined =>
  reader.strings(params, name)?.flatMap((wire) => {
    const parsed = parseTaskState(wire)
    return parsed === undefined || parsed.isStateUnknown ? [] : [parsed.state]
  })

const oneOf = <Word extends string>(
  text: string | undefined,
  words: readonly Word[],
): Word | undefined => words.find((word) => word === text)

const secondsOf = (number: number | undefined): number | undefined =>
  number !== undefined && number >= 0 && Number.isFinite(number) ? number : undefined

const continuityOf = (reader: Reader, card: JsonValue) => {
  const capabilities = reader.member(card, 'capabilities')
  const extension = reader
    .objects(capabilities, 'extensions')
    .find((each) => each.get('uri')?.string === continuityUri)
  const params = reader.member(extension, 'params')
  if (params === undefined) return {}
  const idempotency = reader.member(params, 'idempotency')
  return defined({
    reachableStates: statesOf(reader, params, 'reachableStates'),
    resumableStates: statesOf(reader, params, 'resumableStates'),
    taskRetentionSeconds: secondsOf(reader.member(params, 'taskRetentionSeconds')?.number),
    idempotencyKey: oneOf(reader.text(idempotency, 'key'), ['messageId', 'correlationId', 'none']),
    idempotencyWindowSeconds: secondsOf(reader.member(idempotency, 'windowSeconds')?.number),
    redispatchSafety: oneOf(reader.text(params, 'redispatchSafety'), [
      'safe',
      'idempotent',
      'unsafe',
    ]),
  })
}

/**
 * Reads a card; one that lacks everything (`{}`) is a card too, and says what it lacks.
 *
 * An empty string, an empty list and `null` count as present: the card states it, even if badly
 * (C159).
 */
export const cardOf = (reader: Reader, card: JsonValue): Draft => {
  const protocolVersions = versionsOf(reader, card)
  const own = profilesOf(reader, card)
  const newest = own.at(-1)?.version
  if (newest === '1.0' || newest === '0.3' || newest === '0.2') reader.mark(newest)
  const reading: CardReading = {
    ...defined({ name: reader.text(card, 'name'), version: reader.text(card, 'version') }),
    protocolVersions,
    outputModes: modesOf(reader, card, 'defaultOutputModes') ?? [],
    skills: skillsOf(reader, card),
    missing: missingOf(card, own),
    ...continuityOf(reader, card),
    isSigned: reader.objects(card, 'signatures').length > 0,
    ...(offersGrpc(card) && { offersGrpc: true as const }),
    essence: canonicalValue(card, notEssence),
  }
  return { kind: 'agent-card', card: reading }
}
