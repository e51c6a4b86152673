/** What the command's exit code says. */
export const exitCodes = {
  /** The probe was done, and everything that was required holds. */
  met: 0,
  /** It was done, and something that was required does not hold. */
  notMet: 1,
  /** It could not be done, or not to its end: no card, no answer, interrupted. */
  notDone: 2,
} as const
