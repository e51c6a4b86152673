type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** The same object without the members that are `undefined`: absent fields are left out. */
export const defined = <T extends object>(object: T): Defined<T> => {
  const kept: Defined<T> = {}
  for (const key in object) {
    if (object[key] !== undefined)
      kept[key] = object[key] as Exclude<(typeof object)[typeof key], undefined>
  }
  return kept
}
