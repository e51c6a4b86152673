/** The HTTP side that the services have in common. */
export * from './app.ts'
export { sendProblem } from './errors.ts'
export * from './metrics.ts'
export * from './openapi.ts'
export * from './operations.ts'
export * from './parameters.ts'
export * from './problem.ts'
export * from './serve.ts'
