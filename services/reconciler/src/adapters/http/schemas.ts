/** The shapes of the HTTP API. What validates a request is what `/openapi.json` shows. */
import { actors, approvalAnswers, cancelOutcomes, enrolmentSchema, eventAttributesSchema, intentPurposes, logicalStates, meshNameSchema, meshPolicySchema, probeStepNames, settledOutcomes } from '@a2a-ledger/domain'
import { idText, optional, wholeNumber } from '@a2a-ledger/service-kit/http'
import { z } from 'zod'

export const pageLimitMax = 100
/** The longest a read waits for a position. */
export const waitMsMax = 60_000
export const bodyBytesMax = 8 * 1024 * 1024

const id = z
  .string()
  .min(1, 'is empty')
  .max(1024, 'is longer than an id can be')
  .refine((text) => !/[\p{Cc}\p{Surrogate}]/u.test(text), 'has control characters')

/** Synthetic IDs are longer than what they are made of (K4). */
const correlationId = idText.max(8192).min(1, 'is empty')

export const taskParams = z.object({ correlationId })
export const artifactParams = taskParams.extend({ key: z.string().min(1) })
export const workerParams = z.object({ workerId: id })

const position = wholeNumber(0, Number.MAX_SAFE_INTEGER)

const waitShape = {
  atLeast: optional(position).describe('Waits until everything up to this ledger position is applied.'),
  timeoutMs: optional(wholeNumber(0, waitMsMax)).describe('How long to wait; default 5000. After it: 504 `not_caught_up`.'),
}
const pageShape = {
  after: optional(position).describe('Continues after the `next` of the page before.'),
  limit: optional(wholeNumber(1, pageLimitMax)).describe('Default 100.'),
}

export const taskQuery = z.strictObject(waitShape)
export const timelineQuery = z.strictObject({ ...waitShape, ...pageShape })
export const artifactQuery = z.strictObject({ ...waitShape, workerId: optional(idText), taskId: optional(idText) })
export const taskListQuery = z.strictObject({
  ...waitShape,
  ...pageShape,
  state: optional(z.enum(logicalStates)),
  workerId: optional(idText),
  taskId: optional(idText),
  canary: optional(z.enum(['true', 'false'])).describe('`true`: the work of probes, which is left out otherwise.'),
})
export const workerQuery = z.strictObject(waitShape)
export const workerListQuery = z.strictObject({ ...waitShape, ...pageShape })

const json = z.json()
/** What the question is recorded with has to be what an event may have. */
const { operation, scope, binding, protocolversion, instance, lastobserved } = eventAttributesSchema.shape

const observationShape = {
  operation: operation.describe('What was asked of the worker; default GetTask, SendMessage where no task is known.'),
  error: json.optional().describe('What the worker answered, verbatim; default JSON-RPC -32001.'),
  scope,
  time: z.iso.datetime({ offset: true }).optional().describe('When the worker answered; default: now.'),
  httpstatus: z
    .union([z.int().min(100).max(599).transform(String), z.string().regex(/^[1-5]\d\d$/)], 'is no HTTP status; send one from 100 to 599')
    .optional(),
  binding,
  protocolversion,
  instance,
  messageid: id.optional(),
  lastobserved,
}

export const notFoundBody = z.object({ workerId: id, taskId: id, ...observationShape })

export const whatNowBody = z.object({
  correlationId: correlationId.optional(),
  workerId: id.optional(),
  taskId: id.optional(),
  reason: z.enum(['not-found', 'timeout', 'reset', 'error', 'stream-ended', 'restarted-myself']),
  ...observationShape,
})

export const questionHeaders = z.object({
  'idempotency-key': z.string().min(1).max(1024).optional().describe('Makes repeats one observation.'),
})

const hasControls = (value: unknown): boolean =>
  typeof value === 'string'
    ? /[\p{Cc}\p{Surrogate}]/u.test(value)
    : typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasControls)

const { interface: address, observe, probe, push } = enrolmentSchema.shape

/** The address is shown and recorded, and no URL with a user in it is ever called. */
const withoutUser = (url: z.ZodURL) =>
  url.refine((text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''), 'names a user or a password; credentials go into `interface.headers`')

/** What a connection says of itself is not for whoever enrols to say. */
const connectionHeaders: ReadonlySet<string> = new Set(['connection', 'content-length', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'])
/** Else no call could be made with it, and its failure would be told of the worker. */
const isSendable = ([name, value]: readonly [name: string, value: string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !connectionHeaders.has(name.toLowerCase()) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

const { url, cardUrl, headers } = address.unwrap().shape
const interfaceBody = z.strictObject({
  url: withoutUser(url),
  cardUrl: withoutUser(cardUrl.unwrap()).optional(),
  headers: headers.unwrap().refine((stated) => Object.entries(stated).every(isSendable), 'has a header that cannot be sent').optional(),
})

/** A misspelt member, on any level, would be a policy that silently does not apply. */
export const enrolmentBody = z
  .strictObject({
    ...enrolmentSchema.shape,
    interface: interfaceBody.optional(),
    observe: observe.unwrap().strict().optional(),
    probe: probe.unwrap().strict().optional(),
    push: push.unwrap().strict().optional(),
  })
  .refine((enrolment) => !hasControls({ ...enrolment, probe: undefined }), { message: 'has control characters' })

/** As for an enrolment, a misspelt member is an error; without a body everything is as enrolled. */
export const probeBody = z
  .strictObject({
    message: z.string().min(1).max(10_000).optional().describe('What to send; default: as enrolled, else what the card declares for a canary, else a text of ours.'),
    park: z.boolean().optional().describe('Whether a second canary waits until a restart of the worker is known; default: as enrolled.'),
    retentionSeconds: z.int().min(0).max(86_400).optional().describe('For how long the ended canary is asked for, to see it go; default: as enrolled, else once.'),
  })
  .nullish()
export const probeParams = workerParams.extend({ probeId: id })
export const probeStartedSchema = z.object({ probeId: z.string() })

/** One link, said by a person; a misspelt member would be a reason that nobody reads. */
export const linkBody = z.strictObject({
  from: correlationId.describe('The synthetic ID, as the list of tasks shows it.'),
  to: id.describe('The correlation ID; nothing need be recorded under it yet.'),
  by: z.string().min(1, 'is empty: say who you are').max(200),
  because: z.string().min(1).max(1_000).optional(),
})
export const linkListQuery = z.strictObject({
  ...waitShape,
  ...pageShape,
  after: optional(z.string().regex(/^\d{1,15}(?:-\d{1,15})?$/, 'is no `next` of a page before')).describe('Continues after the `next` of the page before.'),
  status: optional(z.enum(['suggested', 'linked'])).describe('`suggested` (default): tasks that may be one; `linked`: links that stand.'),
})
export const linkSchema = z.looseObject({ from: z.string(), to: z.string(), position: z.int() })
export const suggestionSchema = z.looseObject({ correlationIds: z.array(z.string()), reason: z.string(), because: z.array(z.int()), how: z.string() })
export const linkListSchema = z.object({ links: z.array(z.union([linkSchema, suggestionSchema])), next: z.string().nullable() })

export const meshParams = z.object({ mesh: meshNameSchema })
export const meshQuery = z.strictObject(waitShape)
/** As for a worker, a misspelt member is an error. */
export const meshBody = z.strictObject(meshPolicySchema.shape)
export const meshSchema = z.looseObject({
  mesh: z.string(),
  redispatch: z.enum(['advise', 'approve', 'auto']),
  attemptsMax: z.int().optional(),
  ratePerMinute: z.int().optional(),
  cancelLoser: z.boolean().optional(),
  correlation: z.array(z.looseObject({ from: z.string() })),
})

const graded = { grade: z.enum(['trusted', 'verified', 'durable']), at: z.string(), expiresAt: z.string().optional() }
const measure = z.union([z.boolean(), z.literal('unknown')])
export const probeSchema = z.looseObject({
  probeId: z.string(),
  state: z.enum(['running', 'parked', 'done', 'abandoned']),
  steps: z.array(
    z.looseObject({ at: z.string(), step: z.enum(probeStepNames as [string, ...string[]]), outcome: z.enum(['ok', 'failed', 'skipped']), detail: z.string().optional(), position: z.int() }),
  ),
  verified: z.object({ states: z.array(z.object({ state: z.string(), ...graded })), mediaTypes: z.array(z.object({ mediaType: z.string(), ...graded })) }),
  measured: z.looseObject({
    survivesRestart: measure,
    idempotentMessageId: measure,
    notFoundHonest: measure,
    streamReplay: measure,
    pushArrives: measure,
    retentionSeconds: z.union([z.number(), z.literal('unknown')]),
  }),
})
/** Who acts, in its own words. */
const by = z.string().min(1, 'is empty: say who you are').max(200).refine((text) => !hasControls(text), 'has control characters')
const ttlMs = z.int().min(1).max(3_600_000).describe('How long the lease holds; default 60000.').optional()
const until = z.string().describe('By the clock of the ledger.')
const risk = z.enum(['none', 'possible', 'likely'])
const holder = z.looseObject({ by: z.string().optional(), until, outcome: z.string().optional() })

export const decisionParams = z.object({ decisionId: id })
export const claimBody = z.strictObject({ by: by.describe('One process: whoever gives the same name gets the same lease.'), ttlMs })
export const claimSchema = z.looseObject({
  decisionId: z.string(),
  lease: z.string().describe('Shows that the claim is yours; settle with it.'),
  until,
  send: z.looseObject({ workerId: z.string(), messageId: z.string() }).describe('What to send.'),
  duplicateRisk: risk,
  previous: holder.optional().describe('Who held it before and let it lapse: nobody knows whether it was sent.'),
  position: z.int(),
})
export const settleBody = z.strictObject({
  lease: z.string().min(1).max(200),
  outcome: z.enum(settledOutcomes),
  taskId: id.optional().describe('The server task that answered.'),
})
export const settlementSchema = z.looseObject({ decisionId: z.string(), outcome: z.enum(settledOutcomes), taskId: z.string().optional(), position: z.int() })

export const approvalBody = z.strictObject({ by, because: z.string().min(1).max(1_000).optional() })
export const approvalSchema = z
  .looseObject({ decisionId: z.string(), kind: z.literal('redispatch'), workerId: z.string(), actor: z.enum(actors), approval: z.looseObject({ answer: z.enum(approvalAnswers), by: z.string(), position: z.int() }) })
  .describe('The verdict, with what was said to it.')

export const maySendBody = z.strictObject({
  workerId: id,
  messageId: id,
  taskId: id.optional().describe('The server task that the message goes into; absent: it asks for a new one.'),
  contentDigest: z.string().min(1).max(200).optional().describe('Recorded with the permission.'),
  by: by.optional().describe('One process: asked again by whoever holds it, the answer is the same one.'),
  ttlMs,
})
export const maySendSchema = z.looseObject({
  answer: z.enum(['go', 'running', 'done', 'unknown-outcome', 'wait']),
  correlationId: z.string(),
  workerId: z.string().optional(),
  messageId: z.string().optional(),
  taskId: z.string().optional(),
  decisionId: z.string().optional().describe('`go`: settle it.'),
  lease: z.string().optional(),
  until: until.optional(),
  by: z.string().optional().describe('`wait`: who is about to send.'),
  state: z.string().optional(),
  artifacts: z.array(z.looseObject({ key: z.string(), mediaTypes: z.array(z.string()), complete: z.boolean(), content: z.string() })).optional().describe('`done`: what there is, and where its content is.'),
  because: z.array(z.int()).optional(),
  duplicateRisk: risk.optional(),
  retryAfterMs: z.int().optional(),
})

const positions = z.array(z.int())
const next = z.int().nullable().describe('Pass as `after` for more; null: there was no more.')
const appliedPosition = z.int().describe('Everything up to this ledger position is in the answer.')

const kin = z.looseObject({ correlationId: z.string(), by: z.enum(['stated', 'reference', 'trace']), position: z.int(), state: z.string() })

export const taskViewSchema = z
  .looseObject({
    correlationId: z.string(),
    state: z.string(),
    lastObserved: z.string().optional(),
    terminal: z.boolean(),
    dispatches: z.array(z.looseObject({ workerId: z.string(), position: z.int(), outcome: z.string() })),
    attempts: z.array(
      z.looseObject({
        workerId: z.string(),
        taskId: z.string(),
        state: z.string(),
        life: z.enum(['live', 'lost', 'ended']),
        contested: z.boolean(),
      }),
    ),
    artifacts: z.array(z.looseObject({ key: z.string(), divergent: z.boolean() })),
    divergences: z.array(z.looseObject({ kind: z.string(), positions })),
    violations: z.array(z.looseObject({ code: z.string(), position: z.int(), detail: z.string() })),
    links: z.array(z.looseObject({ from: z.string(), position: z.int() })).optional(),
    parents: z.array(kin).optional().describe('On whose behalf it was sent.'),
    children: z.array(kin).optional().describe('What was sent on its behalf.'),
    suggestedLinks: z.array(suggestionSchema).optional(),
    verdict: z.looseObject({ kind: z.string(), because: positions }).optional(),
    intents: z
      .array(
        z.looseObject({
          decisionId: z.string(),
          purpose: z.enum(intentPurposes),
          workerId: z.string(),
          messageId: z.string(),
          actor: z.enum(actors),
          outcome: z.enum(['held', 'lapsed', 'sent', 'not-sent']),
          until: z.string(),
          position: z.int(),
        }),
      )
      .optional()
      .describe('Who asked before sending or claimed a decision, and what became of it.'),
    cancels: z
      .array(
        z.looseObject({
          workerId: z.string(),
          taskId: z.string(),
          decisionId: z.string(),
          outcome: z.enum(['held', 'lapsed', ...cancelOutcomes]),
          position: z.int(),
        }),
      )
      .optional()
      .describe('Attempts that were canceled because they lost against another one.'),
    incomplete: positions.optional(),
    counts: z.record(z.string(), z.int()).optional().describe('Full lengths of the lists that are cut.'),
    appliedPosition,
  })
  .describe('One logical task, reconciled.')

export const taskListSchema = z.object({
  tasks: z.array(
    z.looseObject({
      correlationId: z.string(),
      state: z.string(),
      lastObserved: z.string().optional(),
      terminal: z.boolean(),
      verdict: z.looseObject({ kind: z.string() }).optional(),
      updatedPosition: z.int(),
    }),
  ),
  next,
})

export const timelineSchema = z.object({
  entries: z.array(
    z.looseObject({
      position: z.int(),
      type: z.string(),
      effect: z.enum(['applied', 'duplicate', 'late', 'contested', 'ignored']),
      changed: z.array(z.looseObject({ field: z.string() })),
    }),
  ),
  next,
})

export const rootCauseSchema = z.looseObject({
  summary: z.string(),
  findings: z.array(
    z.looseObject({
      cause: z.string(),
      confidence: z.string(),
      responsible: z.string(),
      because: positions,
      correlationId: z.string().optional().describe('The child task in which it began.'),
      unwitnessed: z.string().optional().describe('What nobody witnessed, so that nobody is blamed.'),
    }),
  ),
})

export const verdictSchema = z
  .looseObject({
    decisionId: z.string().optional(),
    kind: z.enum(['terminal-ok', 'closed-by-policy', 'resume', 'reobserve', 'redispatch', 'unreconcilable']),
    state: z.string(),
    because: positions,
    considered: z.array(z.looseObject({ workerId: z.string(), eligible: z.boolean() })),
    retryAfterMs: z.int().optional(),
  })
  .describe('What to do now.')

export const workerSchema = z.looseObject({
  workerId: z.string(),
  mesh: z.string(),
  trust: z.enum(['verify', 'card']),
  coverage: z.looseObject({ level: z.enum(['none', 'low', 'partial', 'full']) }).describe('How much of its traffic was witnessed.'),
})
export const workerListSchema = z.object({ workers: z.array(workerSchema), next })

export const readySchema = z.object({
  ready: z.literal(true),
  feed: z.object({
    status: z
      .enum(['waiting', 'joining', 'following', 'broken', 'stopped'])
      .describe('`waiting`: other processes have all slots of the Postgres tail; `joining`: Kafka gave us no partition yet, or shares them out anew; `broken`: it is away.'),
    partitions: z.array(z.int()).readonly().describe('Those that this process applies; of the Postgres tail they are its slots.'),
    appliedPosition: z.int(),
    head: z.int(),
    lag: z.int(),
  }),
  rechecks: z.int().describe('Tasks that wait to be looked at again.'),
  incomplete: z.int().describe('Tasks with an event that could not be folded.'),
  storms: z.array(z.string()).readonly().optional().describe('Meshes that lose so many tasks that the ledger sends nothing in them.'),
})
