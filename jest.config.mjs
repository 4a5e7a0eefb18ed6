export default {
  testEnvironment: 'node',
  roots: [
    '<rootDir>/shared/src',
    '<rootDir>/gateway/src',
    '<rootDir>/signer/src',
    '<rootDir>/infra/src',
    '<rootDir>/test',
  ],
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
