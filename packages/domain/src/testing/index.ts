/** What tests of every package share: builders, contract suites, a codec, and the pages of the reference. */
export * from './codec.ts'
export * from './memory-correlations.ts'
export * from './reference-page.ts'
