// Nothing of a person's shell reaches a test: a locale that the machine lacks, a profile of AWS, a
// service that the command line talks to, or that this is CI, where it refuses more.
const OF_THE_SHELL =
  /^(?:LC_|LANG|AWS_|TZ$|HTTPS?_PROXY$|https?_proxy$|NO_PROXY$|no_proxy$|CI$|CLOAKROOM_(?:URL|API_KEY|CREDENTIALS)$)/;
for (const name of Object.keys(process.env)) if (OF_THE_SHELL.test(name)) delete process.env[name];

// `jest --selectProjects faults` runs one project. `service` and `browser` (in Chromium) share one
// local account: the synthesized app, exactly as `npm start` runs it. `memory` runs the testing
// package.
const common = {
  transform: {},
  // Everything else, `node_modules` above all, would be read for each project.
  roots: ['<rootDir>/test', '<rootDir>/packages'],
  setupFiles: ['<rootDir>/test/support/no-network.ts'],
  testEnvironment: '<rootDir>/test/support/shared-modules/environment.ts',
  runtime: '<rootDir>/test/support/shared-modules/runtime.ts',
};

/** Suites that start processes of their own, and no service in the process of the suite. */
const PROCESSES = [
  ...[
    'test/reactor-runtime/*',
    'test/adapters/lambda/reactor-functions',
    'test/bin/export/command-part',
    'test/bin/start/{prepare,start}',
    'test/simulation/workers',
    'test/bin/reactor/reactor',
    'test/tools/bench/smoke',
  ],
  ...['dynamodb/{crash,full-disk}', 'guestbook/guestbook', 'lambda/{control-plane,custom-runtime}'].map(
    (name) => `packages/local-aws/test/${name}`,
  ),
  ...['in-node-16', 'lenient', 'proxy'].map((name) => `packages/sdk/test/${name}`),
  'packages/{cdk,cli,fields,testing}/test/package',
].map((name) => `**/${name}.test.ts`);

/** Suites that do not belong to `service`. */
const APART = {
  browser: [
    'browser',
    'browser-guides',
    'console',
    'docs',
    'engines',
    'fields',
    'fields-attacks',
    'fields-wrappers',
    'sdk-package',
  ],
  // These, and `faults` (which break it), talk to services that they start themselves.
  ownService: [...['audit-trail', 'examples', 'field-client', 'removal'], ...['invocations', 'leaks']],
  faults: ['reactor-control-plane', 'real-faults', 'restore'],
};
// The contract suite: the same files for the testing package, the service, and a deployment.
const INTERFACE = ['<rootDir>/test/interface/*.test.ts'];
/**
 * Handlers, rules and stores are the same on the service as in the testing package, whose stores
 * are compared with those of the service. A usual run repeats there only the suites of what it has
 * of its own: the connections to destinations, and bodies and headers as they cross a wire. Routes
 * are in end-to-end/matrices. tools/test/touched.ts says when a change needs all.
 */
const ON_THE_WIRE = ['<rootDir>/test/interface/{proxy,received-shapes,stored-proxies}.test.ts'];
const { CLOAKROOM_TESTS: extent, CLOAKROOM_CONTRACT: contract } = process.env;
const hasWholeContract = contract === 'whole' || !['usual', 'touched'].includes(extent);
/** Suites of other ways than the one that a usual run takes (test-kit/src/which-runs.ts). */
const WHEN_TOUCHED = [
  ...['browser-guides', 'contract', 'docs', 'fields-wrappers', 'generated-clients'],
  ...['removal', 'restore'],
];
const isInThisRun = (name) => extent !== 'usual' || !WHEN_TOUCHED.includes(name);
const matching = (names) => [`<rootDir>/test/end-to-end/${names}.test.ts`];
const among = (names) => matching(`(${names.filter(isInThisRun).join('|')})`);
// One setup however many projects name it: jest runs each file of a global setup once.
const onSharedCloud = {
  ...common,
  testEnvironmentOptions: { target: 'local' },
  globalSetup: '<rootDir>/test/support/start-local-cloud.ts',
  globalTeardown: '<rootDir>/test/support/stop-local-cloud.ts',
};

// Only `npm run contract` has this project. Suites run one after the other, as one caller would.
const deployed =
  process.env.CLOAKROOM_CONTRACT_URL === undefined
    ? []
    : [
        {
          ...common,
          setupFiles: [],
          displayName: 'deployed',
          testMatch: INTERFACE,
          testEnvironmentOptions: { target: 'deployed' },
        },
      ];

export default {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: [
        ...['<rootDir>/test/**/*.test.ts', '<rootDir>/packages/*/test/**/*.test.ts'],
        ...PROCESSES.map((pattern) => `!${pattern}`),
      ],
      testPathIgnorePatterns: ['<rootDir>/test/end-to-end/', '<rootDir>/test/interface/'],
    },
    {
      ...common,
      displayName: 'memory',
      testMatch: INTERFACE,
      testEnvironmentOptions: { target: 'memory' },
    },
    { ...common, displayName: 'processes', testMatch: PROCESSES },
    {
      ...onSharedCloud,
      displayName: 'service',
      testMatch: [
        ...matching(
          `!(${[...Object.values(APART).flat(), ...WHEN_TOUCHED.filter((name) => !isInThisRun(name))].join('|')})`,
        ),
        ...(hasWholeContract ? INTERFACE : ON_THE_WIRE),
      ],
    },
    {
      ...onSharedCloud,
      displayName: 'browser',
      testMatch: among(APART.browser),
    },
    { ...common, displayName: 'own-service', testMatch: among(APART.ownService) },
    { ...common, displayName: 'faults', testMatch: among(APART.faults) },
    ...deployed,
  ],
  // It ends a test that hangs, on a busy machine too; nothing here measures time.
  testTimeout: process.env.CLOAKROOM_TESTS === 'thorough' ? 3_600_000 : 600_000,
  testSequencer: '<rootDir>/test/support/longest-first.js',
  // A worker with an open handle never exits by itself; a busy machine needs more than the usual
  // 500 ms for one that does. tools/test/run.ts fails for a worker that has to be killed.
  workerGracefulExitTimeout: 10_000,
  // Any limit keeps tests out of jest's own process, which under --watch would never load a
  // changed module again.
  workerIdleMemoryLimit: '4GB',
};
