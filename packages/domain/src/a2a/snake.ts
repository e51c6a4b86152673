const known = new Map<string, string>()

/** The snake_case spelling of a camelCase member name, as protobuf names it: `contextId` → `context_id`. */
export const snakeOf = (name: string): string => {
  const cached = known.get(name)
  if (cached !== undefined) return cached
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  known.set(name, snake)
  return snake
}
