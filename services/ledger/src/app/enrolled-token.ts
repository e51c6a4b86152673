/**
 * `push.token` of `reconciler.worker-enrolled`: the one secret that is not where A2A puts them.
 *
 * The text is a service's own JSON, so printing it again loses nothing.
 */

/** The text with the token overwritten by as many `*`, and the token; none: the text as it was. */
export const overwriteEnrolledToken = (
  text: string,
): { readonly text: string; readonly token: string | undefined } => {
  const enrolment = parsed(text)
  const token = enrolment?.push?.token
  if (typeof token !== 'string' || /^\**$/.test(token)) return { text, token: undefined }
  const push = { ...enrolment?.push, token: '*'.repeat(token.length) }
  return { text: JSON.stringify({ ...enrolment, push }), token }
}

const parsed = (text: string): { readonly push?: { readonly token?: unknown } } | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
