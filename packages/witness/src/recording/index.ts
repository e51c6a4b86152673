/** What every witness does: takes a call apart, keeps what it says, and tells the ledger in order. */
export { callContextOf, correlationHeader } from './call-context.ts'
export { type CallerHeaders, keyedHash, scopeOf } from './call-scope.ts'
export { readEventFrames, type EventFrames } from './event-frames.ts'
export { bodyBytesMax, type BodyKeeper, type ByteBudget, createByteBudget, keepBody } from './kept-body.ts'
export { createLedgerWriter } from './ledger-writer.ts'
export type { GapReport, Spool, SpoolEntry, SpoolNotes, WitnessedEvent } from './ports.ts'
export { createRecorder, type Recorder } from './recorder.ts'
export { type Answer, type CallContext, type KeptBody, watchCall, type WatchedCall } from './watch-call.ts'
