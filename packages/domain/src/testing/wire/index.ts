/** Bodies of every version, ours and those beside the repository, and how to break them. */
export { bodies } from './bodies.ts'
export * from './captured-answers.ts'
export { corpusPayloads } from './corpus-payloads.ts'
export { mutatedUpTo } from './mutated.ts'
export { hasSharedCases } from './shared-cases.ts'
