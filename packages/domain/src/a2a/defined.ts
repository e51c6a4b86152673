type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** The same object without the members that are `undefined`: absent fields are left out. */
export const defined = <T extends object>(object: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Defined<T>
