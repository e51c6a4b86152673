/** L10 for transport headers: what may be a credential is overwritten, its length stays. */
const secretName = /auth|cookie|token|secret|password|credential|signature|api-?key/

export const redactHeaders = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = typeof value === 'string' ? value : value.join(', ')
      return [[name, secretName.test(name) ? '*'.repeat(text.length) : text]]
    }),
  )
