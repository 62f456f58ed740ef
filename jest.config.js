// Two projects: `unit` runs in the jest process with the network off; `end-to-end` talks over HTTP to one local
// cloud that its global setup starts (the synthesized app, exactly as `npm start` runs it).
const common = {
  transform: { '\\.(ts|js|mjs)$': '<rootDir>/test/support/esbuild-transform.js' },
  // Packages published as ES modules only; everything else in node_modules is loaded as it is.
  transformIgnorePatterns: ['/node_modules/(?!@scure/|@middy/)'],
  // Their `exports` have an `import` condition alone.
  moduleNameMapper: { '^@middy/(core|util)$': '<rootDir>/node_modules/@middy/$1/index.js' },
  testEnvironment: 'node',
};

export default {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/packages/*/test/**/*.test.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/end-to-end/', '<rootDir>/test/nightly/'],
      setupFiles: ['<rootDir>/test/support/no-network.ts'],
    },
    {
      ...common,
      displayName: 'end-to-end',
      testMatch: ['<rootDir>/test/end-to-end/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/start-local-cloud.ts',
      globalTeardown: '<rootDir>/test/support/stop-local-cloud.ts',
    },
  ],
  // End-to-end tests start services of their own; nothing here measures time.
  testTimeout: 120_000,
  coverageProvider: 'v8',
};
