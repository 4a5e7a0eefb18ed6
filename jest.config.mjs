const ROOT = import.meta.dirname;

/** The tests that open a PostgreSQL, a Redis or a whole vault, by place and name alone. */
const SERVER_TESTS = [
  `${ROOT}/test/*.test.ts`,
  `${ROOT}/test/keys/*.test.ts`,
  `${ROOT}/test/governance/*.test.ts`,
  `${ROOT}/test/races/live-*.test.ts`,
  '**/*.servers.test.ts',
];

/** Whole vaults in distress, for `npm run drills` alone. */
const DRILLS = [`${ROOT}/test/drills/*.test.ts`];
const areDrillsRun = process.env.COUNTERSIGN_DRILLS === '1';

/** Those that have a module replaced under what they test (`jest.unstable_mockModule`), which takes Jest's own loader. */
const MOCKED_TESTS = [
  `${ROOT}/shared/vault/src/policy/venue-conditions.test.ts`,
  `${ROOT}/test/model/dropped-rules.test.ts`,
  `${ROOT}/test/ledger/fold-without-catalogues.test.ts`,
  `${ROOT}/test/ledger/planted-throws.test.ts`,
];

/**
 * Those that start threads or programs, wait for what never answers, or go through a whole ledger or every bit: two thirds of
 * the time of all without servers.
 */
const LONGER_TESTS = [
  'client/src/keys/read-key-file.test.ts',
  'gateway/src/sign/overload.test.ts',
  'infra/admin/src/commands/keys-import.test.ts',
  'infra/admin/src/tool/completion.test.ts',
  'infra/dev/src/build/pinned-node.test.ts',
  'infra/dev/src/start/prove.test.ts',
  'infra/kubernetes/kubernetes.test.ts',
  'infra/systemd/units.test.ts',
  'shared/chains/src/solana-transaction.test.ts',
  'shared/runtime/src/jobs/sign-outcome.test.ts',
  'shared/runtime/src/process/run-program.test.ts',
  'shared/runtime/src/tracing/tracing.test.ts',
  'signer/src/ceremonies/*.test.ts',
  'signer/src/channel/party-channel.test.ts',
  'signer/src/secrets/kek/*.test.ts',
  'signer/src/secrets/rsa-generation/*.test.ts',
  'signer/src/secrets/rsa/threshold-rsa.test.ts',
  'signer/src/secrets/signing-thread/*.test.ts',
  'signer/src/signing/lead-inbox.test.ts',
  'signer/src/threads/*.test.ts',
  'test/docs/bot-readmes.test.ts',
  'test/docs/receipts-page.test.ts',
  'test/ledger/chain.test.ts',
  'test/ledger/fold-snapshots.test.ts',
  'test/ledger/fuzzed-entries.test.ts',
  'test/ledger/recorded-ledger.test.ts',
  'test/ledger/saved-fold.test.ts',
  'test/model/countersigned-model.test.ts',
  'test/python/*.test.ts',
  'test/races/freeze-races.test.ts',
  'test/venues/simulators.test.ts',
  'workshop/src/check/run-step.test.ts',
  'workshop/src/release/release-repository.test.ts',
].map((glob) => `${ROOT}/${glob}`);

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
      testMatch: [
        '**/*.test.ts',
        ...without(SERVER_TESTS),
        ...without(DRILLS),
        ...without(MOCKED_TESTS),
        ...without(LONGER_TESTS),
      ],
    },
    {
      ...common,
      ...unit,
      displayName: 'longer',
      testMatch: [...LONGER_TESTS, ...without(SERVER_TESTS)],
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
      testMatch: areDrillsRun ? [...SERVER_TESTS, ...DRILLS] : SERVER_TESTS,
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
