/** The three topics, and what has to hold for them before anything is read or written (P3). */
import type { KafkaTopics, TopicDescription } from '@a2a-ledger/service-kit/kafka'

export interface TopicNames {
  /** In: what witnesses send. */
  readonly observations: string
  /** Out: the feed. */
  readonly ledger: string
  /** Out: verdicts. */
  readonly decisions: string
}

export const topicNames = (prefix: string): TopicNames => ({
  observations: `${prefix}observations`,
  ledger: `${prefix}ledger`,
  decisions: `${prefix}decisions`,
})

export interface TopicSettings {
  readonly prefix: string
  /** Of topics that are created. */
  readonly partitionCount: number
  /** Whether topics that are absent are created. */
  readonly isCreating: boolean
}

/** What we send fits in this; the default of Kafka is 12 bytes more. */
export const batchBytesMax = 1_048_576
/** An event of 8 MiB and its headers. */
const observationBytesMax = 9 * 1_048_576

/**
 * Creates what is absent and answers every problem, one sentence each; none: the topics are fit.
 *
 * Errors: throws when Kafka does not answer.
 */
export async function prepareTopics(topics: KafkaTopics, settings: TopicSettings): Promise<readonly string[]> {
  const names = topicNames(settings.prefix)
  const wanted = [
    { topic: names.observations, bytesMax: observationBytesMax, bytesNeeded: 0 },
    { topic: names.ledger, bytesMax: batchBytesMax + 12, bytesNeeded: batchBytesMax },
    { topic: names.decisions, bytesMax: batchBytesMax + 12, bytesNeeded: batchBytesMax },
  ]
  const problems: string[] = []
  for (const { topic, bytesMax, bytesNeeded } of wanted) {
    let description = await topics.describe(topic)
    if (description === undefined && !settings.isCreating) {
      problems.push(`The topic ${topic} does not exist, and KAFKA_CREATE_TOPICS is false: create it.`)
      continue
    }
    if (description === undefined) {
      await topics.create(topic, settings.partitionCount, { 'cleanup.policy': 'delete', 'max.message.bytes': String(bytesMax) })
      description = await topics.describe(topic)
    }
    if (description !== undefined) problems.push(...problemsOf(topic, description, bytesNeeded))
  }
  return problems
}

/** What is wrong with a topic that the relay publishes to; none: it is fit. */
export const problemsOfFeed = (topic: string, description: TopicDescription): readonly string[] =>
  problemsOf(topic, description, batchBytesMax)

function problemsOf(topic: string, { config }: TopicDescription, bytesNeeded: number): readonly string[] {
  const problems: string[] = []
  const policy = config.get('cleanup.policy') ?? ''
  if (policy.split(',').some((each) => each.trim() === 'compact')) {
    problems.push(`The topic ${topic} has cleanup.policy=${policy}, which removes events: set it to delete.`)
  }
  const bytesMax = Number(config.get('max.message.bytes') ?? bytesNeeded)
  if (bytesMax < bytesNeeded) {
    problems.push(`The topic ${topic} has max.message.bytes=${bytesMax}, and up to ${bytesNeeded} are sent: raise it.`)
  }
  return problems
}
