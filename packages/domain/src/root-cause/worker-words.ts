/**
 * What a worker's own words mean, in one place: status messages and error texts.
 *
 * Words never change a state and never outweigh an observation; they only name a cause for a state
 * or an error that was observed. Every expression is linear: no repetition inside a repetition, and
 * every gap is bounded.
 */

const wordsMax = 2_000

const says =
  (...expressions: readonly RegExp[]) =>
  (text: string): boolean =>
    expressions.every((expression) => expression.test(text.slice(0, wordsMax)))

const timeout = /tim(?:ed|e|ing)[ _-]?out\b|\b(?:did not|didn't|failed to) (?:respond|answer|reply)\b[^.!?]{0,20}\b(?:within|after|in time)\b|\b504\b|\bdeadline[ _]?exceeded\b|\bETIMEDOUT\b|\bexceed(?:ed|s|ing)?\b[^.!?]{0,20}\btime[ -]?limit\b/i
const party =
  /\bMCP\b|\btools?\b|\b(?:up|down)stream\b|\bpeer\b|\b(?:sub|remote|child)[ _-]?agents?\b|\b(?:LLM|model|database|backend|API|service|provider|connector)\b|\bETIMEDOUT\b/i
const call =
  /\b(?:request|call(?:ing|ed)?|rpc|query|connection|connect|read|504)\b|(?:read|connect|request|gateway)time|\btimeout of \d+ ?ms\b/i

/** A tool or a peer of the worker timed out. */
export const saysPartyTimedOut = says(timeout, party)

/** A call that the worker made timed out; it does not say to whom. */
export const saysCallTimedOut = says(timeout, call)

const stop =
  '(?:re-?start(?:ed|ing|s)?|reboot(?:ed|ing)?|shut(?:ting)?[ -]?down|evict(?:ed|ion)|preempt(?:ed|ion)|re-?deploy(?:ed|ment)?|scal(?:ed?|ing)[ -]?down|rolling update|SIGTERM|SIGKILL|out of memory|OOM(?:[- ]?kill(?:ed|er))?|node drain|drain(?:ed|ing))'
const host = '(?:daemon|server|service|worker|process|agent|pod|container|runtime|executor|instance|replica)'
const stoppedHost = new RegExp(`\\b${host}\\b[^.!?]{0,30}\\b(?:${stop}|stopped|terminated|killed|crash(?:ed)?|died|dead|going down|going offline|recycled|exited (?:unexpectedly|abnormally|(?:with )?(?:code |status )?(?:137|143)))\\b`, 'i')
const becauseOfStop = new RegExp(
  `\\b(?:interrupted|aborted|cancel(?:l?ed)|lost|orphaned|killed|stopped|terminated|failed(?! to\\b)|due|because|after|during|by|on)\\b[^.!?]{0,30}\\b${stop}\\b`,
  'i',
)

const signaled = /\b(?:received|got|caught)\b[^.!?]{0,10}\bSIG(?:TERM|INT|HUP)\b/i

/** What a worker says of the tasks that it finds in its store when it starts. */
const leftOver = '\\b(?:stale|orphaned|abandoned|interrupted|unfinished)(?: \\w+){0,2} (?:tasks?|jobs?|runs?|executions?)\\b'
const start = '\\b(?:on|at|after|during) (?:boot|start-?up)\\b'
const foundAtStart = new RegExp(
  `${leftOver}[^.!?]{0,40}(?:${start}|\\b(?:previous|former|last|earlier) (?:process|instance|boot|server)\\b)|${start}[^.!?]{0,40}${leftOver}`,
  'i',
)

/** The worker was restarted or shut down under the task. */
export const saysInterrupted = (text: string): boolean =>
  says(stoppedHost)(text) || says(becauseOfStop)(text) || says(signaled)(text) || says(foundAtStart)(text)

const protocolFault =
  /\b(?:context|task)(?:[ _]?ids?| in (?:the |an )?event)\b[^.!?]{0,40}\b(?:mismatch(?:ed)?|do(?:es)?(?: not|n't) match|differs?)\b|\bmismatch(?:ed|ing)?\b[^.!?]{0,20}\b(?:context|task)[ _]?ids?\b|\bprotocol (?:error|violation)\b|\binvalid agent response\b|\bagent (?:returned|sent|gave|produced) an? (?:invalid|malformed|unexpected)\b|\binvalid JSON-?RPC\b|\b(?:bad|wrong|invalid|unexpected|empty|missing) (?:context|task)[ _]?id\b/i

/** The worker broke the protocol itself: ids that do not match, an answer it could not form. */
export const saysProtocolFault = says(protocolFault)

const clientGone =
  /\b(?:client|caller|consumer|subscriber)\b[^.!?]{0,20}\b(?:disconnect(?:ed|s)?|went away|gone|closed|hung up|aborted|dropped)\b|\b(?:disconnect(?:ed|ion)?|closed|aborted|dropped)\b[^.!?]{0,15}\b(?:by|of|from)(?: the)? (?:client|caller|consumer|subscriber)\b|\b(?:client|caller|consumer|subscriber)(?:'s)? connection (?:was |is )?(?:lost|reset)\b/i

/** The client went away. */
export const saysClientGone = says(clientGone)

const asks =
  /\bapprov(?:e|al)\b[^.!]{0,80}\b(?:required|needed|reject|or|before|pending|\?)|\b(?:requires?|needs?|awaiting|await|waiting (?:for|on)|pending)\b[^.!?]{0,40}\b(?:approval|confirmation|input|permission|authori[sz]ation|your|decision|answer|response|human|operator|reviewer)\b|\b(?:human|manual|operator) (?:review|approval|confirmation|intervention) (?:is )?(?:required|needed|pending)\b|\bplease (?:approve|confirm|provide|specify|choose|select|enter|reply)\b|\b(?:do you want|would you like|shall I|should I) (?:me )?(?:to )?(?:proceed|continue|go ahead|run|delete|execute)\b|\bconfirm\b[^.!]{0,60}\?|\b(?:could|can|would|will) you (?:please )?(?:provide|give|tell|confirm|specify|send|share|choose|clarify|approve)\b[^.!]{0,120}\?|\b(?:which|what|where|when|who) (?:is|are|should|would|do|does|one|account|date|day|file|region)\b[^.!]{0,120}\?\s*$/i

/** The message asks for an approval or an input, so the work is not done. */
export const saysItAsks = says(asks)
