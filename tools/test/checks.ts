/** A command that passes or fails. */
export interface Check {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
}

/** Types are checked for all files: a change has effects elsewhere. */
const TYPES_AND_LINT: Check = { name: 'types and lint', command: ['oxlint'] };

const DOCUMENTATION: Check = { name: 'documentation', command: ['node', 'tools/check-docs.ts'] };

/**
 * Runs of the whole service under faults (CONTRIBUTING.md#the-simulation). The usual run has the
 * same seeds each time. Two processes repeat the beginning of ten of them, and must have the
 * same history.
 */
export const simulations = (thoroughSeed?: string): readonly Check[] => {
  const simulate = (...options: readonly string[]) =>
    ['node', 'test/simulation/simulate.ts', ...options] as const;
  if (thoroughSeed === undefined)
    return [{ name: 'simulation', command: simulate('--seeds', '25', '--twice', '10') }];
  return [
    { name: 'simulation', command: simulate('--seed', thoroughSeed, '--seeds', '10000', '--twice', '500') },
    { name: 'mutations of the service', command: simulate('--mutations') },
  ];
};

/** Checks without a test. */
export const STATIC: readonly Check[] = [
  TYPES_AND_LINT,
  { name: 'formatting', command: ['oxfmt', '--check'] },
  DOCUMENTATION,
  { name: 'policy', command: ['node', 'tools/check-policy.ts'] },
  {
    name: 'import rules',
    command: [
      'depcruise',
      ...['--config', '.dependency-cruiser.cjs'],
      ...[
        'bin',
        'console',
        'lib',
        'functions',
        'src',
        'reactor-runtime',
        'packages/fields/src',
        'packages/sdk/src',
        'packages/local-aws',
      ],
      ...['packages/cdk/src', 'packages/testing/src', 'packages/test-kit/src', 'site', 'tools', 'examples'],
    ],
  },
  { name: 'plain words', command: ['node', 'tools/check-words.ts'] },
  { name: 'unused code', command: ['knip'] },
  // The check above looks at dependencies too, those of tests included.
  { name: 'code that only tests use', command: ['knip', '--production', '--files', '--exports'] },
  { name: 'types on Node.js 16', command: ['tsc', '-p', 'reactor-runtime'] },
  { name: 'types of the SDK on Node.js 16', command: ['tsc', '-p', 'packages/sdk'] },
  { name: 'types of the SDK in browsers', command: ['tsc', '-p', 'packages/sdk/tsconfig.browser.json'] },
  { name: 'types of the card fields', command: ['tsc', '-p', 'packages/fields'] },
  { name: 'types of the documentation site', command: ['tsc', '-p', 'site'] },
  { name: 'OpenAPI document', command: ['node', 'tools/build-openapi.ts', '--check'] },
  { name: 'third-party notices', command: ['node', 'tools/build-notices.ts', '--check'] },
];

/** Checks for some files. */
export function staticOf(files: readonly string[]): readonly Check[] {
  return [
    ...(files.some((file) => /\.[cm]?[jt]sx?$/.test(file)) ? [TYPES_AND_LINT] : []),
    { name: 'formatting', command: ['oxfmt', '--check', '--no-error-on-unmatched-pattern', ...files] },
    ...(files.some((file) => file.endsWith('.md')) ? [DOCUMENTATION] : []),
  ];
}
