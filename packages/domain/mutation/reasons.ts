/** Why a change is known to be noticed by no test: the words that stand in `docs/mutation-survivors.md`. */
export const reasons = {
  there: 'what is asked for is always there at this place, or never: the type alone does not say so',
  absent: 'a member becomes `undefined` that was left out: what reads it asks for its value and not for its presence',
  kind: 'what is of another kind lacks the member that is asked for beside it, and absent compares as unequal',
  word: 'an empty list or text gets a word in it, or one word becomes another, that nothing looks for',
  tie: 'it tells equal positions, names or moments apart, of which there are no two, or both ways say the same',
  decided: 'what comes before or after it decides the same',
  shortcut: 'without it the same is found, with more work',
  ordered: 'what follows puts it in order itself, or needs none',
} as const

export type Reason = keyof typeof reasons

export const isReason = (word: string): word is Reason => Object.hasOwn(reasons, word)
