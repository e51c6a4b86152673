/** What tests of every package share: builders, contract suites, and a codec. */
export * from './codec.ts'
export * from './memory-correlations.ts'
