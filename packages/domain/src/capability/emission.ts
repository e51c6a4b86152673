/** Emissions held against the contract: media types and states, as of the moment they were emitted (V1, F19). */
import type { ArtifactFact, CardFact, MessageFact, Piece, ReportFact } from '../fact/fact.ts'
import { intersectModes, isModeIn } from '../media-type/negotiate.ts'
import type { DispatchAnalysis, Judgement, StateChange, Violation, WorkerKnowledge } from '../task/analysis.ts'
import { advertisedModesOf, cachedCardAt, cardAt, skillOf } from './knowledge.ts'

/** What client and worker agreed on for one attempt at one moment. */
export interface Negotiated {
  /** Accepted by the client; absent: it stated none. */
  readonly accepted?: readonly string[]
  /** Offered by the skill; absent: no card was known. */
  readonly advertised?: readonly string[]
  /** The modes in both; absent when neither is known. */
  readonly contract?: readonly string[]
}

/** The contract in force at `atMs`: the client's last stated modes ∩ the skill's, by the card of then (F19). */
export const negotiatedAt = (
  dispatches: readonly DispatchAnalysis[],
  worker: WorkerKnowledge | undefined,
  atMs: number,
): Negotiated => {
  const sent = dispatches.filter((dispatch) => dispatch.atMs <= atMs)
  const accepted = sent.findLast(({ acceptedModes }) => acceptedModes !== undefined && acceptedModes.length > 0)?.acceptedModes
  const card = cardAt(worker, atMs)
  const named = sent.findLast(({ skill }) => skill !== undefined)?.skill
  const advertised = card === undefined ? undefined : advertisedModesOf(card, skillOf(card, named))
  const contract =
    accepted !== undefined && advertised !== undefined ? intersectModes(accepted, advertised) : (accepted ?? advertised)
  return {
    ...(accepted !== undefined && { accepted }),
    ...(advertised !== undefined && { advertised }),
    ...(contract !== undefined && { contract }),
  }
}

/**
 * Media types emitted at `atMs`, held against the card in force then and against the one that the sender
 * of the attempt's last message had. A card that nobody fetched judges nothing.
 */
export const judgementsOf = (
  mediaTypes: readonly string[],
  dispatches: readonly DispatchAnalysis[],
  worker: WorkerKnowledge | undefined,
  atMs: number,
): readonly Judgement[] => {
  const sent = dispatches.filter((dispatch) => dispatch.atMs <= atMs)
  const last = sent.at(-1)
  const { accepted } = negotiatedAt(dispatches, worker, atMs)
  const named = sent.findLast(({ skill }) => skill !== undefined)?.skill
  const judge = (by: Judgement['by'], card: CardFact | undefined): readonly Judgement[] => {
    if (card === undefined) return []
    const advertised = advertisedModesOf(card, skillOf(card, named))
    const agreed = accepted === undefined ? undefined : intersectModes(accepted, advertised)
    return [
      {
        by,
        cardPosition: card.position,
        digest: card.essenceDigest,
        advertised,
        isAdvertised: mediaTypes.every((mode) => isModeIn(mode, advertised)),
        ...(agreed !== undefined && { isNegotiated: mediaTypes.every((mode) => isModeIn(mode, agreed)) }),
      },
    ]
  }
  return [...judge('emission', cardAt(worker, atMs)), ...(last === undefined ? [] : judge('dispatch', cachedCardAt(worker, last)))]
}

/** What the other card says of the same mode, where it is another one. */
const otherwise = (judgements: readonly Judgement[], mode: string): string => {
  const [now, then] = [judgements.find(({ by }) => by === 'emission'), judgements.find(({ by }) => by === 'dispatch')]
  if (now === undefined || then === undefined || now.digest === then.digest) return ''
  const says = isModeIn(mode, then.advertised) ? 'offers it' : 'does not offer it either'
  return ` The card that the sender had (position ${then.cardPosition}) ${says}.`
}

export interface EmissionInput {
  readonly workerId: string
  readonly taskId?: string
  readonly signs: readonly (ReportFact | ArtifactFact | MessageFact)[]
  readonly changes: readonly StateChange[]
  readonly dispatches: readonly DispatchAnalysis[]
  readonly worker: WorkerKnowledge | undefined
}

/** C3, C4: every state and media type outside what was advertised or negotiated, each once. */
export const checkEmissions = (input: EmissionInput): readonly Violation[] => {
  const violations = new Map<string, Violation>()
  const owner = { workerId: input.workerId, ...(input.taskId !== undefined && { taskId: input.taskId }) }
  const flag = (code: Violation['code'], subject: string, position: number, detail: string) => {
    const key = JSON.stringify([code, subject])
    if (!violations.has(key)) violations.set(key, { code, position, detail, ...owner })
  }
  for (const { fact, piece } of input.signs.flatMap(piecesOf)) {
    const { accepted, advertised, contract } = negotiatedAt(input.dispatches, input.worker, fact.atMs)
    for (const mode of piece.mediaTypes) {
      const subject = JSON.stringify([piece.artifactId ?? piece.index, mode])
      const byCard = () => otherwise(judgementsOf([mode], input.dispatches, input.worker, fact.atMs), mode)
      if (advertised !== undefined && !isModeIn(mode, advertised)) {
        flag('media_type_not_advertised', subject, fact.position, `${mode} is outside the card's ${advertised.join(', ') || '(none)'}.${byCard()}`)
      }
      if (accepted !== undefined && !isModeIn(mode, contract ?? [])) {
        flag('media_type_not_negotiated', subject, fact.position, `${mode} is outside the negotiated ${(contract ?? []).join(', ') || '(none)'}.${byCard()}`)
      }
    }
  }
  for (const { state, position, atMs } of input.changes) {
    const declared = cardAt(input.worker, atMs)?.reachableStates
    if (declared !== undefined && state !== 'unknown' && !declared.includes(state)) {
      flag('state_not_advertised', state, position, `${state} is outside the declared ${declared.join(', ')}.`)
    }
  }
  return [...violations.values()]
}

const piecesOf = (
  fact: ReportFact | ArtifactFact | MessageFact,
): readonly { readonly fact: ReportFact | ArtifactFact | MessageFact; readonly piece: Piece }[] => {
  switch (fact.kind) {
    case 'report':
      return (fact.pieces ?? []).map((piece) => ({ fact, piece }))
    case 'artifact':
      return [{ fact, piece: fact.piece }]
    case 'message':
      return fact.taskId === undefined && fact.channel === 'answer' ? [{ fact, piece: fact.piece }] : []
  }
}
