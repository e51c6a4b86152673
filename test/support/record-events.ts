/** Records events over HTTP, all of them for the first time, and answers the position of the last one. */
export async function recordEvents(ledgerUrl: string, events: readonly object[]): Promise<number> {
  const response = await fetch(`${ledgerUrl}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents-batch+json' },
    body: JSON.stringify(events),
  })
  const answer = await response.text()
  const results = response.ok ? (JSON.parse(answer) as { readonly results: readonly { readonly outcome: string; readonly position: number }[] }).results : []
  if (results.length !== events.length || results.some(({ outcome }) => outcome !== 'recorded')) throw new Error(`Not everything was recorded: ${response.status} ${answer}`)
  return results.at(-1)?.position ?? 0
}
