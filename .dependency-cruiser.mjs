// Each rule is a promise that the README makes. test/import-boundaries.test.ts plants a bad import for
// each of them and expects the failure.
const TESTS = '(^test/|\\.test\\.ts$)';

export default {
  forbidden: [
    {
      name: 'gateway-never-imports-signer',
      comment: 'The gateway has no code that touches key material.',
      severity: 'error',
      from: { path: '^gateway/' },
      to: { path: '^signer/' },
    },
    {
      name: 'signer-never-imports-gateway',
      severity: 'error',
      from: { path: '^signer/' },
      to: { path: '^gateway/' },
    },
    {
      name: 'shared-imports-nobody',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(gateway|signer|client|infra|test)/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'What runs at a desk shares the contract with the vault and nothing else.',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: '^(gateway|signer|infra)/' },
    },
    {
      name: 'vault-never-imports-client',
      comment: 'The client splits whole secrets: no process of the vault may have that code.',
      severity: 'error',
      from: { path: '^(gateway|signer)/' },
      to: { path: '^client/' },
    },
    {
      name: 'nobody-imports-infra',
      comment: 'The embedded default and the benchmark are not part of what runs in production.',
      severity: 'error',
      from: { path: '^(gateway|signer|shared)/' },
      to: { path: '^infra/' },
    },
    {
      name: 'infra-starts-programs-and-imports-none',
      severity: 'error',
      from: { path: '^infra/' },
      to: { path: '^(gateway|signer)/' },
    },
    {
      name: 'gateway-has-no-key-material-code',
      comment: 'Verifying a caller goes through shared/src/authenticate.ts alone.',
      severity: 'error',
      from: { path: '^gateway/' },
      to: {
        path: 'node_modules/(@noble/(curves|ed25519)|node-forge|piscina|sodium-native|libsodium)',
      },
    },
    {
      name: 'signer-has-no-http',
      severity: 'error',
      from: { path: '^signer/src', pathNot: TESTS },
      to: {
        path: '^(node:)?(http|https|http2|net|dgram|express)$|node_modules/(express|fastify)/',
      },
    },
    {
      name: 'forge-never-in-production',
      comment:
        'node-forge verifies what it must not (reference: Wycheproof); it may only read key files.',
      severity: 'error',
      from: { path: '^(gateway|signer|shared)/' },
      to: { path: 'node_modules/node-forge' },
    },
    {
      name: 'no-undeclared-dependency',
      severity: 'error',
      from: { pathNot: TESTS },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'production-never-imports-tests',
      severity: 'error',
      from: { pathNot: TESTS },
      to: { path: TESTS },
    },
    {
      name: 'not-to-dev-dep',
      severity: 'error',
      from: { pathNot: TESTS },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(shared|gateway|signer|client|infra)/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@countersign/source', 'import', 'node', 'default'],
    },
  },
};
