/** Emissions held against the contract: media types and states, as of the moment they were emitted (V1, F19). */
import type { ArtifactFact, MessageFact, Piece, ReportFact } from '../fact/fact.ts'
import { intersectModes, isModeIn } from '../media-type/negotiate.ts'
import type { DispatchAnalysis, StateChange, Violation, WorkerKnowledge } from '../task/analysis.ts'
import { advertisedModesOf, cardAt, skillOf } from './knowledge.ts'

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
      if (advertised !== undefined && !isModeIn(mode, advertised)) {
        flag('media_type_not_advertised', subject, fact.position, `${mode} is outside the card's ${advertised.join(', ') || '(none)'}.`)
      }
      if (accepted !== undefined && !isModeIn(mode, contract ?? [])) {
        flag('media_type_not_negotiated', subject, fact.position, `${mode} is outside the negotiated ${(contract ?? []).join(', ') || '(none)'}.`)
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
