/** Appends what was read of a body and answers for each event, in input order (contract §3). */
import type { EnvelopeReading } from '@a2a-ledger/domain'
import { problemOf } from '@a2a-ledger/service-kit/http'
import type { IncomingEvent, Via } from '../../app/ports.ts'
import type { Edge } from './edge.ts'
import type { Result } from './schemas.ts'

export interface Transport {
  readonly via: Via
  readonly headers: Readonly<Record<string, string>>
}

type RejectedReading = EnvelopeReading & { readonly outcome: 'rejected' }

/** One event of a body, ready to append, or the reason why it cannot be. */
export type Input = IncomingEvent | RejectedReading

export const toInput = (reading: EnvelopeReading, transport: Transport): Input =>
  reading.outcome === 'rejected'
    ? reading
    : {
        via: transport.via,
        headers: transport.headers,
        attributes: reading.attributes,
        data: reading.data,
      }

export async function appendInputs(
  edge: Edge,
  via: Via,
  inputs: readonly Input[],
): Promise<readonly Result[]> {
  const usable = inputs.filter((input) => 'via' in input)
  const outcomes = usable.length === 0 ? [] : await edge.ledger.append(usable)
  const rest = outcomes.values()
  return inputs.map((input) => {
    const result = 'via' in input ? withName(input, rest.next().value) : rejectedResult(input)
    edge.countInput(via, result.outcome)
    return result
  })
}

function withName(event: IncomingEvent, outcome: Awaited<ReturnType<Edge['ledger']['append']>>[number] | undefined): Result {
  if (outcome === undefined) throw new Error('append answered for fewer events than it was given')
  const { source, id } = event.attributes
  return outcome.outcome === 'conflict'
    ? { source, id, ...outcome, differsIn: [...outcome.differsIn] }
    : { source, id, ...outcome }
}

const rejectedResult = ({ source, id, code, detail }: RejectedReading): Result => ({
  source,
  id,
  outcome: 'rejected',
  problem: problemOf(code, detail),
})
