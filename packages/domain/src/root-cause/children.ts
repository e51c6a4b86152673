/** The tasks sent on behalf of one task that may be where its trouble began. */
import { clockSkewMsMax } from '../fact/facts-of.ts'
import type { TaskAnalysis } from '../task/analysis.ts'
import { endedMsOf, type Kin } from '../task/family.ts'

export interface Child {
  readonly analysis: TaskAnalysis
  readonly kin: Kin
}

/** Children that are gone into, at most; of more, the ones sent last. */
const childrenMax = 20

/**
 * Of `children` those that did not succeed and whose trouble began before `parent` ended.
 *
 * A child whose work was sent again, and was completed then, is no trouble any more.
 */
export const troubledChildrenOf = (parent: TaskAnalysis, children: readonly Child[]): readonly Child[] => {
  if (parent.state === 'completed') return []
  const done = new Set(children.filter(({ analysis }) => analysis.state === 'completed').flatMap(({ analysis }) => worksOf(analysis)))
  return children
    .filter(
      ({ analysis }) =>
        analysis.state !== 'completed' &&
        !worksOf(analysis).some((work) => done.has(work)) &&
        beganMsOf(analysis) <= endedMsOf(parent) + clockSkewMsMax,
    )
    .slice(-childrenMax)
}

const worksOf = ({ dispatches }: TaskAnalysis): readonly string[] => dispatches.map(({ contentDigest }) => contentDigest)

/** When a task came into the state it is in, as far as anybody can tell: by its end, else by its last life. */
const beganMsOf = (analysis: TaskAnalysis): number => {
  const endedMs = endedMsOf(analysis)
  return Number.isFinite(endedMs) ? endedMs : (analysis.current?.lastLife.atMs ?? analysis.dispatches.at(-1)?.atMs ?? -Infinity)
}
