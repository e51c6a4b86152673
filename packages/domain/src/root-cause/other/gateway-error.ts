/** `gateway_error`: a proxy answered instead of the worker: 502 to 504, HTML, a wrapped upstream error. */
import { positionsOf, type OtherCause } from '../cause.ts'

export const gatewayError: OtherCause = {
  cause: 'gateway_error',
  responsible: 'network',
  says: 'a proxy answered in place of worker {worker}',
  nextAction: 'Ask {worker} again past the proxy or later: the answer of a proxy says nothing about the task.',
  find: (file) =>
    file.facts.flatMap((fact) =>
      fact.kind === 'error' && fact.isFromGateway === true
        ? [
            {
              confidence: 'strong',
              because: positionsOf([fact.position]),
              ...(fact.workerId !== undefined && { workerId: fact.workerId }),
            },
          ]
        : [],
    ),
}
