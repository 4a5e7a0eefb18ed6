const ROOT = import.meta.dirname;

/** The tests that open a PostgreSQL, a Redis or a whole vault, by place and name alone. */
const SERVER_TESTS = [
  `${ROOT}/test/*.test.ts`,
  `${ROOT}/test/keys/*.test.ts`,
  `${ROOT}/test/governance/*.test.ts`,
  `${ROOT}/test/races/live-*.test.ts`,
  '**/*.servers.test.ts',
];

/** Those that have a module replaced under what they test (`jest.unstable_mockModule`), which takes Jest's own loader. */
const MOCKED_TESTS = [
  `${ROOT}/shared/vault/src/policy/venue-conditions.test.ts`,
  `${ROOT}/test/model/dropped-rules.test.ts`,
  `${ROOT}/test/ledger/fold-without-catalogues.test.ts`,
  `${ROOT}/test/ledger/planted-throws.test.ts`,
];

// a test that asks for a server all the same fails, also where the others have theirs
const isolated = {
  setupFiles: ['<rootDir>/test/support/no-servers.ts', '<rootDir>/test/runner/seeded-cases.mjs'],
};

const native = {
  testEnvironment: '<rootDir>/test/runner/shared-environment.mjs',
  testRunner: '<rootDir>/test/runner/native-test-runner.mjs',
};

// coverage is counted by Jest's own loader
const unit = process.argv.includes('--coverage') ? isolated : native;

const without = (globs) => globs.map((glob) => `!${glob}`);

const common = {
  testEnvironment: '<rootDir>/test/runner/own-environment.mjs',
  roots: [
    'shared',
    'gateway/src',
    'signer/src',
    'notifier/src',
    'client/src',
    'client/ccxt/src',
    'client/mcp/src',
    'console/src',
    'infra',
    'workshop',
    'test',
  ].map((folder) => `<rootDir>/${folder}`),
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: {
    customExportConditions: ['@countersign/source', 'node', 'node-addons'],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      },
    ],
  },
};

export default {
  projects: [
    {
      ...common,
      ...unit,
      displayName: 'unit',
      testMatch: ['**/*.test.ts', ...without(SERVER_TESTS), ...without(MOCKED_TESTS)],
    },
    {
      ...common,
      ...isolated,
      displayName: 'mocked',
      testMatch: MOCKED_TESTS,
    },
    {
      ...common,
      ...native,
      testEnvironmentOptions: { hasServers: true },
      displayName: 'servers',
      testMatch: SERVER_TESTS,
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
  ],
  reporters: ['default', '<rootDir>/test/runner/run-summary.mjs'],
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  testTimeout: 30_000,
  // for `npm run coverage` alone. What runs in threads and processes of their own is not seen.
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'html'],
  collectCoverageFrom: [
    '{shared/*,gateway,signer,notifier,client,client/ccxt,client/mcp}/src/**/*.ts',
    '!**/*.test.ts',
  ],
  maxWorkers: 2,
  // a worker keeps what its files loaded
  workerIdleMemoryLimit: '1500MB',
  // with nothing left open a worker of a few hundred megabytes still needs a second to end where two cores are busy:
  // after Jest's own half second it said that a handle leaks
  workerGracefulExitTimeout: 10_000,
};
