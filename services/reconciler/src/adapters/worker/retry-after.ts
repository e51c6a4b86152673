/** When a worker wants to be asked again, in milliseconds from `nowMs`; `undefined` where `Retry-After` is no such word (RFC 9110). */
export function retryAfterMsOf(stated: string, nowMs: number): number | undefined {
  if (/^\d{1,6}$/.test(stated)) return Number(stated) * 1_000
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(stated)
  const atMs = isDate ? Date.parse(stated) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
