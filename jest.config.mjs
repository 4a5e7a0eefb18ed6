const ROOT = import.meta.dirname;

/** The tests that open a PostgreSQL, a Redis or a whole vault, by place and name alone. */
const SERVER_TESTS = [
  `${ROOT}/test/*.test.ts`,
  `${ROOT}/test/keys/*.test.ts`,
  `${ROOT}/test/governance/*.test.ts`,
  `${ROOT}/test/races/live-*.test.ts`,
  '**/*.servers.test.ts',
];

const common = {
  testEnvironment: 'node',
  roots: [
    'shared',
    'gateway/src',
    'signer/src',
    'notifier/src',
    'client/src',
    'client/ccxt/src',
    'console/src',
    'infra',
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
      displayName: 'unit',
      testMatch: ['**/*.test.ts', ...SERVER_TESTS.map((glob) => `!${glob}`)],
      // a test that asks for a server all the same fails, also where the others have theirs
      setupFiles: ['<rootDir>/test/support/no-servers.ts'],
    },
    {
      ...common,
      displayName: 'servers',
      testMatch: SERVER_TESTS,
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
  ],
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  testTimeout: 30_000,
  // for `npm run coverage` alone. What runs in threads and processes of their own is not seen.
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'html'],
  collectCoverageFrom: [
    '{shared/*,gateway,signer,notifier,client,client/ccxt}/src/**/*.ts',
    '!**/*.test.ts',
  ],
  maxWorkers: 2,
  // a worker keeps much of what its files loaded, and whoever comes later pays for looking through it again and
  // again: the freeze races took 10 s of processor time in a fresh worker and 70 s at the end of an old one
  workerIdleMemoryLimit: '400MB',
  // with nothing left open a worker of a few hundred megabytes still needs a second to end where two cores are busy:
  // after Jest's own half second it said that a handle leaks
  workerGracefulExitTimeout: 10_000,
};
