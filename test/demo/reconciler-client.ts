/** What this demo reads of the reconciler's answers; `contract.md` §4 has the whole of them. */
export type Verdict = {
  readonly kind:
    | 'terminal-ok' | 'closed-by-policy' | 'resume' | 'reobserve' | 'redispatch' | 'unreconcilable'
  readonly state: string
  readonly lastObserved?: string
  readonly workerId?: string
  readonly taskId?: string
  readonly because: readonly number[]
  readonly considered: readonly Candidate[]
  readonly duplicateRisk?: string
  readonly retryAfterMs?: number
  readonly send?: { readonly messageId?: string; readonly metadata?: Record<string, unknown> }
}
type Candidate = { readonly workerId: string; readonly eligible: boolean; readonly because?: string }

export type TaskView = {
  readonly correlationId: string
  readonly state: string
  readonly lastObserved?: string
  readonly terminal: boolean
  readonly attempts: readonly {
    readonly workerId: string
    readonly taskId: string
    readonly state: string
    readonly life: string
  }[]
  readonly artifacts: readonly {
    readonly key: string
    readonly divergent: boolean
    readonly canonical?: { readonly workerId: string; readonly taskId: string } & MediaTypes
    readonly variants: readonly ({
      readonly workerId: string
      readonly taskId: string
      readonly status: string
      readonly because?: string
    } & MediaTypes)[]
  }[]
  readonly divergences: readonly { readonly kind: string; readonly positions: readonly number[] }[]
  readonly violations: readonly { readonly code: string; readonly position: number }[]
  readonly verdict?: Verdict & { readonly position?: number }
}
type MediaTypes = { readonly mediaTypes: readonly string[] }

export type RootCause = {
  readonly summary: string
  readonly findings: readonly {
    readonly cause: string
    readonly confidence: string
    readonly responsible: string
    readonly because: readonly number[]
    readonly nextAction: string
  }[]
}
export type Timeline = {
  /** What `after` takes for the page behind this one. */
  readonly next: number | null
  readonly entries: readonly {
    readonly position: number
    readonly type: string
    readonly source: string
    readonly workerId?: string
    readonly taskId?: string
    readonly operation?: string
    readonly canonical: { readonly state?: string; readonly error?: { readonly name: string } }
    readonly effect: string
    readonly changed: readonly { readonly field: string; readonly from: string | null; readonly to: string | null }[]
  }[]
}

/** How long one call may be told to ask again. */
const catchUpMsMax = 60_000

/**
 * One JSON call; throws with the whole answer when it is not a 2xx.
 *
 * A 504 says that what was recorded is not applied yet, as on a busy machine: the same is asked again.
 */
export async function callJson<Answer>(
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  for (const untilMs = performance.now() + catchUpMsMax; ; ) {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status === 504 && performance.now() < untilMs) continue
    if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`)
    return JSON.parse(text) as Answer
  }
}
