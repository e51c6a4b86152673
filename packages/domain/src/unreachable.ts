/** Ends a switch over a union: a new member is a compile error here, and a stray value at run time an error. */
export const unreachable = (value: never): never => {
  throw new Error(`unexpected value ${JSON.stringify(value)}`)
}
