import { createHash } from 'node:crypto'

/**
 * The partition of a key, by a rule of ours: clients disagree about theirs, and a reader that fills
 * a gap from the ledger has to know which events belong to its partition. The first four bytes of its
 * SHA-256: SQL can tell the partition of a stream of the reconciler by its key.
 */
export const partitionOf = (key: string, partitionCount: number): number =>
  createHash('sha256').update(key).digest().readUInt32BE(0) % partitionCount
