/** The witness of what the ledger itself asks workers: its questions are nobody's mistake. */
export const observerSource = 'urn:a2a-ledger:observer'
