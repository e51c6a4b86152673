/**
 * Paths of members that are there and `undefined`. The types say absent (`exactOptionalPropertyTypes`), and so do
 * `in`, keys and comparisons of what is stored.
 */
export const undefinedMembersOf = (value: unknown, path = ''): readonly string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, member]) =>
        member === undefined ? [`${path}.${name}`] : undefinedMembersOf(member, `${path}.${name}`),
      )
