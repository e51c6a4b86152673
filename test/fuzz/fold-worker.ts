/** Runs the fold part in a thread of its own, with little memory, and shows each case that it begins. */
import { parentPort, workerData } from 'node:worker_threads'
import { fuzzFold } from './fuzz-fold.ts'

const { inputs, seed, progress } = workerData as {
  readonly inputs: number
  readonly seed: number
  /** The count of cases begun, and the seed of the block. */
  readonly progress: Int32Array
}

const onCase = (blockSeed: number): void => {
  Atomics.store(progress, 1, blockSeed)
  Atomics.add(progress, 0, 1)
}
parentPort?.postMessage(fuzzFold({ inputs, seed, boundsTime: true, onCase }))
