// The dependency rule, checked. One rule per sentence of ARCHITECTURE.md "Which way imports point".
// Tests may reach further than production code; every exemption is spelled with TEST.
// infra/check/boundaries.test.ts shows every rule red once: a new rule needs a row there.
const TEST = '[.]test[.]ts$|(^|/)test/'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment: 'packages/domain imports itself and zod. No clock, disk, socket, environment, driver or framework.',
      severity: 'error',
      from: { path: '^packages/domain/src/', pathNot: [TEST, '^packages/domain/src/testing/'] },
      to: { pathNot: ['^packages/domain/src/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'app-is-driverless',
      comment: 'app/ imports the domain and its own ports. The outside world arrives as a port.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/app/', pathNot: TEST },
      to: { pathNot: ['^services/$1/src/app/', '^packages/domain/src/'] },
    },
    {
      name: 'adapters-are-strangers',
      comment: 'An adapter knows app/ and the domain, never another adapter. main.ts introduces them.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/adapters/([^/]+)/', pathNot: TEST },
      to: { path: '^services/[^/]+/src/adapters/', pathNot: '^services/$1/src/adapters/$2/' },
    },
    {
      name: 'one-driver-one-folder',
      comment: 'pg and kysely live in adapters/postgres and the service kit, fastify in adapters/http and the service kit, the Kafka client in the service kit alone.',
      severity: 'error',
      from: {
        path: '^(packages|services)/',
        pathNot: [TEST, '^packages/service-kit/', '^services/[^/]+/src/adapters/', '^services/[^/]+/src/(main|migrate)[.]ts$'],
      },
      to: { path: '(^|/)node_modules/(pg|pg-copy-streams|kysely|kafkajs|fastify)/' },
    },
    {
      name: 'outbound-is-guarded',
      comment: 'The HTTP client is in packages/outbound alone, so that no call goes around its rules.',
      severity: 'error',
      from: { path: '^(packages|services)/', pathNot: [TEST, '^packages/outbound/'] },
      to: { path: '(^|/)node_modules/(undici|ipaddr[.]js)/' },
    },
    {
      name: 'services-meet-on-the-wire',
      comment: 'A service never imports another service; they share packages/domain and the wire.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'by-name-not-by-path',
      comment: 'Another workspace package is imported by its name, so its exports map is its whole surface.',
      severity: 'error',
      // A launcher runs before anything is installed, when no name resolves yet.
      from: { path: '^(packages/[^/]+|services/[^/]+|infra|test)/', pathNot: '^(services|packages)/[^/]+/launch[.]cjs$' },
      to: { path: '^(packages/[^/]+|services/[^/]+|infra|test)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'only-main-composes',
      comment: 'Nothing imports an entry point; only entry points import config.ts.',
      severity: 'error',
      from: { path: '^services/', pathNot: [TEST, '^services/[^/]+/src/(main|migrate)[.]ts$'] },
      to: { path: '^services/[^/]+/src/(main|migrate|config)[.]ts$' },
    },
    {
      name: 'no-test-code-in-production',
      severity: 'error',
      from: { path: '^(packages|services)/[^/]+/src/', pathNot: [TEST, '^packages/domain/src/testing/'] },
      to: { path: [TEST, '^packages/domain/src/testing/'] },
    },
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphan',
      severity: 'error',
      from: { path: '^(packages|services)/', orphan: true, pathNot: [TEST, '/(index|main|migrate)[.]ts$', '/launch[.]cjs$'] },
      to: {},
    },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared',
      comment: "Every npm import is in that package's own package.json, and not only as a devDependency when it ships.",
      severity: 'error',
      from: { path: '^(packages|services)/[^/]+/src/', pathNot: [TEST, '^packages/domain/src/testing/'] },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true, // count `import type` too: a type dependency is still a dependency
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.d.ts', '.cjs', '.js', '.json'],
    },
  },
}
