/** For agents written in TypeScript. */
export { CapabilityContractError, type Capabilities } from '@a2a-ledger/domain'
export { createWitness, type FetchOptions, type TaskStoreOptions, type Witness, type WitnessLog, type WitnessOptions, type WitnessStatus } from './create-witness.ts'
export type { ObservationProducer, ObservationRecord } from './kafka-writer.ts'
export type { Work } from './work.ts'
