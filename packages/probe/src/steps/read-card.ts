import { advertisedModesOf, advertisedStatesOf, readCardOffer, readPayload, type CardFact, type CardOffer, type ProbeTarget } from '@a2a-ledger/domain'
import type { Step, StepResult } from '../step.ts'

/** `card`: the first address that has one; what it promises is kept with the probe. */
export const readCard: Step = async ({ cardUrls, fetchCard, ports }) => {
  const told: string[] = []
  for (const url of cardUrls) {
    const answer = await fetchCard(url)
    if ('failure' in answer) {
      told.push(`${url}: ${answer.failure}`)
      continue
    }
    const { status, body } = answer
    const result = readPayload({ type: 'a2a.agent-card', operation: 'GetAgentCard', httpStatus: status }, body)
    const offer = readCardOffer(body)
    if (status !== 200 || result.outcome !== 'read' || result.reading.kind !== 'agent-card' || offer === undefined) {
      told.push(`${url} answered ${status} and no card`)
      continue
    }
    const { card } = result.reading
    if (card.missing.length > 0) return { outcome: 'failed', detail: `the card at ${url} lacks ${card.missing.join(', ')}` }
    return learnedOf({ ...card, essenceDigest: ports.sha256Hex(card.essence) }, offer)
  }
  return { outcome: 'failed', detail: told.join('; ') }
}

type CardPromise = Pick<CardFact, 'name' | 'outputModes' | 'skills' | 'reachableStates' | 'essenceDigest'>

const learnedOf = (card: CardPromise, offer: CardOffer): StepResult => {
  const targets = targetsOf(offer)
  if (targets.length === 0) return { outcome: 'failed', detail: `the card offers no interface over JSONRPC or HTTP+JSON in version 1.0 or 0.3` }
  const [{ binding, protocolVersion }] = targets as [ProbeTarget]
  return {
    outcome: 'ok',
    detail: `${card.name ?? 'a worker without a name'}, A2A ${protocolVersion} over ${binding}`,
    learned: {
      card: {
        digest: card.essenceDigest,
        ...(card.name !== undefined && { name: card.name.slice(0, 256) }),
        targets: [...targets],
        isStreaming: offer.isStreaming,
        isPushing: offer.isPushing,
        states: [...advertisedStatesOf(card as CardFact)],
        ...(card.reachableStates !== undefined && { declaresStates: true as const }),
        mediaTypes: [...advertisedModesOf(card as CardFact)].slice(0, 50),
        ...(offer.canaryMessage !== undefined && { canaryMessage: offer.canaryMessage.slice(0, 10_000) }),
        ...(offer.canaryModes !== undefined && { canaryModes: [...offer.canaryModes] }),
      },
    },
  }
}

/** Where and how a worker can be called, in the order in which its card prefers it. */
export const targetsOf = ({ interfaces }: CardOffer): readonly ProbeTarget[] => interfaces.flatMap(targetOf)

/** Versions before 0.3 are called as 0.3, later ones than 1.0 as 1.0; only a card of v0.3 may state none. */
const targetOf = ({ url, binding, protocolVersion = '0.3', tenant }: CardOffer['interfaces'][number]): readonly ProbeTarget[] =>
  (binding === 'JSONRPC' || binding === 'HTTP+JSON') && URL.canParse(url)
    ? [{ url, binding, protocolVersion: protocolVersion.startsWith('0.') ? '0.3' : '1.0', ...(tenant !== undefined && { tenant }) }]
    : []
