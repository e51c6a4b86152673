/**
 * The secrets that a push presents (contract §3): the token headers of both A2A versions, and
 * `Authorization` without its scheme. For `Basic` both forms, since configurations in the field
 * hold either.
 */
export function presentedSecrets(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): readonly string[] {
  const secrets: string[] = []
  for (const name of ['x-a2a-notification-token', 'a2a-notification-token']) {
    secrets.push(...[headers[name] ?? []].flat())
  }
  for (const value of [headers['authorization'] ?? []].flat()) {
    const [, scheme, credentials] = /^(?:([\w!#$%&'*+.^`|~-]+) +)?(.*)$/.exec(value.trim()) ?? []
    if (credentials === undefined) continue
    secrets.push(credentials.trim())
    if (scheme?.toLowerCase() === 'basic') {
      secrets.push(Buffer.from(credentials, 'base64').toString('utf8'))
    }
  }
  return secrets.filter((secret) => secret !== '')
}
