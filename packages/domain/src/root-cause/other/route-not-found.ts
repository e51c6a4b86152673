/**
 * `route_not_found`: a bare 404 or 405, which is about the route and not about the task.
 *
 * Once the route is proved to work (F7) the 404 is about the task after all.
 */
import { positionsOf, type OtherCause } from '../cause.ts'

export const routeNotFound: OtherCause = {
  cause: 'route_not_found',
  responsible: 'network',
  says: 'a call to worker {worker} reached no route',
  nextAction: 'Check the address and the routing between client and {worker}, then ask for the task again.',
  find: (file) => {
    const proved = new Set(
      file.analysis.attempts.flatMap(({ notFounds }) =>
        notFounds.filter(({ isRoute }) => !isRoute).map(({ position }) => position),
      ),
    )
    return file.facts.flatMap((fact) =>
      fact.kind === 'error' && fact.name === 'RouteNotFound' && !proved.has(fact.position)
        ? [
            {
              confidence: fact.code === 405 ? 'strong' : 'likely',
              because: positionsOf([fact.position]),
              ...(fact.workerId !== undefined && { workerId: fact.workerId }),
            },
          ]
        : [],
    )
  },
}
