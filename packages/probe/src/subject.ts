/** Whom calls go to, what goes along, and where its card may be. */
/** The worker that is probed. */
export interface ProbeSubject {
  /** Where its card is, or the address of the worker itself. */
  readonly cardUrl: string
  /** Sent with calls to the origin of `cardUrl`, and to `origins`, and nowhere else. */
  readonly headers: Readonly<Record<string, string>>
  readonly origins?: readonly string[]
}

/** Secrets go to the worker that they are for, whatever addresses a card names. */
export const headersFor = ({ cardUrl, headers, origins = [] }: ProbeSubject) => {
  const trusted = new Set([new URL(cardUrl).origin, ...origins])
  return (url: string): Readonly<Record<string, string>> => (URL.canParse(url) && trusted.has(new URL(url).origin) ? headers : {})
}

/** A URL that ends in `.json` is that of a card; for any other the well-known places below and above it. */
export const cardUrlsOf = (cardUrl: string): readonly string[] => {
  const url = new URL(cardUrl)
  if (url.pathname.endsWith('.json')) return [cardUrl]
  const below = url.pathname.replace(/\/+$/, '')
  const at = (path: string): string => new URL(path, url.origin).href
  const name = '/.well-known/agent-card.json'
  return [...new Set([at(`${below}${name}`), at(name), at('/.well-known/agent.json')])]
}
