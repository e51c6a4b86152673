/** Order of facts in time: by witness time, and by position where times are equal (F3). */
export interface Moment {
  readonly atMs: number
  readonly position: number
}

export const compareMoments = (left: Moment, right: Moment): number =>
  left.atMs - right.atMs || left.position - right.position

/** True when `left` is later than `right`; the position breaks ties. */
export const isAfter = (left: Moment, right: Moment): boolean => compareMoments(left, right) > 0

/** The latest of them, or `undefined` of none. */
export const latestOf = <M extends Moment>(moments: readonly M[]): M | undefined =>
  moments.reduce<M | undefined>(
    (latest, moment) => (latest === undefined || isAfter(moment, latest) ? moment : latest),
    undefined,
  )
