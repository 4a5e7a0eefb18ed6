export default {
  testEnvironment: 'node',
  roots: [
    '<rootDir>/shared',
    '<rootDir>/gateway/src',
    '<rootDir>/signer/src',
    '<rootDir>/client/src',
    '<rootDir>/infra',
    '<rootDir>/test',
  ],
  modulePathIgnorePatterns: ['/dist/'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 30_000,
  // a test vault is five processes of its own: two at a time would only wait for each other
  maxWorkers: 1,
  workerIdleMemoryLimit: '1GB',
  testMatch: ['**/*.test.ts'],
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
