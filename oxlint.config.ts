import { defineConfig } from 'oxlint';

/** Rules without options, as errors. */
const rules = (names: string): Record<string, 'error'> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, 'error']),
  );

/** ESLint and typescript-eslint call these rules recommended or strict. */
const ALWAYS = rules(`
  eqeqeq for-direction no-async-promise-executor no-case-declarations no-compare-neg-zero
  no-cond-assign no-constant-binary-expression no-constant-condition no-control-regex no-debugger
  no-delete-var no-dupe-else-if no-duplicate-case no-duplicate-imports no-empty
  no-empty-character-class no-empty-pattern no-empty-static-block no-ex-assign
  no-extra-boolean-cast no-fallthrough no-global-assign no-invalid-regexp no-irregular-whitespace
  no-loss-of-precision no-misleading-character-class no-nonoctal-decimal-escape
  no-prototype-builtins no-regex-spaces no-self-assign no-shadow-restricted-names no-sparse-arrays
  no-unassigned-vars no-unsafe-finally no-unsafe-optional-chaining no-unused-labels
  no-unused-private-class-members no-useless-assignment no-useless-backreference no-useless-catch
  no-useless-escape no-var prefer-const preserve-caught-error require-yield use-isnan valid-typeof
`);
/** The compiler finds these in TypeScript. */
const IN_JAVASCRIPT = rules(`
  constructor-super getter-return no-class-assign no-const-assign no-dupe-class-members no-dupe-keys
  no-func-assign no-import-assign no-new-native-nonconstructor no-obj-calls no-redeclare
  no-setter-return no-this-before-super no-undef no-unreachable no-unsafe-negation no-with
`);
const IN_TYPESCRIPT = rules(`
  no-array-constructor no-unused-expressions no-useless-constructor prefer-rest-params prefer-spread
  typescript/await-thenable typescript/no-array-delete typescript/no-base-to-string
  typescript/no-deprecated typescript/no-duplicate-type-constituents typescript/no-dynamic-delete
  typescript/no-empty-object-type typescript/no-explicit-any typescript/no-extra-non-null-assertion
  typescript/no-extraneous-class typescript/no-floating-promises typescript/no-for-in-array
  typescript/no-generated-empty-object-type typescript/no-implied-eval
  typescript/no-invalid-void-type typescript/no-meaningless-void-operator typescript/no-misused-new
  typescript/no-misused-promises typescript/no-misused-spread typescript/no-namespace
  typescript/no-non-null-asserted-nullish-coalescing
  typescript/no-non-null-asserted-optional-chain typescript/no-non-null-assertion
  typescript/no-redundant-type-constituents typescript/no-require-imports typescript/no-this-alias
  typescript/no-unnecessary-boolean-literal-compare typescript/no-unnecessary-condition
  typescript/no-unnecessary-template-expression typescript/no-unnecessary-type-arguments
  typescript/no-unnecessary-type-assertion typescript/no-unnecessary-type-constraint
  typescript/no-unnecessary-type-conversion typescript/no-unnecessary-type-parameters
  typescript/no-unsafe-argument typescript/no-unsafe-assignment typescript/no-unsafe-call
  typescript/no-unsafe-declaration-merging typescript/no-unsafe-enum-comparison
  typescript/no-unsafe-function-type typescript/no-unsafe-member-access typescript/no-unsafe-return
  typescript/no-unsafe-unary-minus typescript/no-useless-default-assignment
  typescript/no-wrapper-object-types typescript/only-throw-error typescript/prefer-as-const
  typescript/prefer-namespace-keyword typescript/prefer-promise-reject-errors
  typescript/prefer-reduce-type-parameter typescript/prefer-return-this-type
  typescript/related-getter-setter-pairs typescript/require-await
  typescript/switch-exhaustiveness-check typescript/triple-slash-reference typescript/unbound-method
  typescript/unified-signatures typescript/use-unknown-in-catch-callback-variable
`);

/**
 * An instance takes these from the machine. They are injected so that a simulation can decide them.
 */
const INJECTED = 'Take it from the `Platform` of the instance: see src/core/shared/platform.ts.';
/** `globalThis` would lead around the others. */
const NO_MACHINE_GLOBALS = ['setTimeout', 'setInterval', 'setImmediate', 'crypto', 'globalThis'].map(
  (name) => ({ name, message: INJECTED }),
);
const NO_MACHINE_PROPERTIES = [
  { object: 'Date', property: 'now', message: INJECTED },
  { object: 'Math', property: 'random', message: INJECTED },
  { object: 'AbortSignal', property: 'timeout', message: INJECTED },
];
const MACHINE_CRYPTO = [
  ...['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID', 'webcrypto'],
  ...['generateKey', 'generateKeySync', 'generateKeyPair', 'generateKeyPairSync'],
];
/** Node's modules have two names each. */
const NO_MACHINE_IMPORTS = ['node:', ''].flatMap((scheme) => [
  { name: `${scheme}crypto`, importNames: MACHINE_CRYPTO, message: INJECTED },
  ...['timers', 'timers/promises'].map((name) => ({ name: `${scheme}${name}`, message: INJECTED })),
]);
const NO_JSON_PARSE = {
  object: 'JSON',
  property: 'parse',
  message: 'Use `parseJson`: see src/core/shared/parse-json.ts.',
};
const ONLY_TESTS = 'afterAll afterEach beforeAll beforeEach describe expect it jest test'
  .split(' ')
  .map((name) => ({ name, message: 'Only tests have it.' }));
const readonly = (names: string): Record<string, 'readonly'> =>
  Object.fromEntries(names.split(' ').map((name) => [name, 'readonly']));

const PRODUCT = [
  '{bin,functions,lib,reactor-runtime,src}/**/*.ts',
  'packages/*/src/**/*.ts',
  '{console,site}/**/*.{ts,tsx}',
];

const NO_REAL_TIME = 'Inject the clock, the timer or the number of turns: docs/decisions/0034.';
/** The tests in which nothing waits for another process. */
const LOW_TESTS = [
  'test/{console,contracts,core,docs,functions,http,lambda,lib,security,wire}/**/*.ts',
  'packages/{fields,local-aws,sdk,testing}/test/**/*.test.ts',
];

export default defineConfig({
  options: {
    // Reports what tsc would, and rules that know the types.
    typeAware: true,
    typeCheck: true,
    denyWarnings: true,
    reportUnusedDisableDirectives: 'error',
  },
  plugins: ['typescript'],
  jsPlugins: ['./tools/lint/house-rules.ts'],
  categories: { correctness: 'off' },
  ignorePatterns: [
    ...['packages/*/dist/', 'cdk.out/', '.local/', '.cache/', 'coverage/', 'node_modules/'],
    // Astro declares their globals and modules while it builds.
    ...['site/src/components/*.astro', 'site/src/content.config.ts'],
  ],
  env: { builtin: true, es2024: true },
  rules: {
    ...ALWAYS,
    ...IN_JAVASCRIPT,
    // A name with a leading underscore says that a value is left out on purpose.
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'house/narrow-comments': 'error',
    'house/no-path-by-hand': 'error',
    'house/no-tuple-declaration': 'error',
  },
  overrides: [
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...Object.fromEntries(Object.keys(IN_JAVASCRIPT).map((name) => [name, 'off'])),
        ...IN_TYPESCRIPT,
        'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
        'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        // `() => { f(); }` and `() => f()` say the same when f answers nothing.
        'typescript/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        'typescript/restrict-template-expressions': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNever: false,
            allowNullish: false,
            allowNumber: false,
            allowRegExp: false,
          },
        ],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
        'house/no-spread-of-literal': 'error',
      },
    },
    { files: PRODUCT, rules: { 'house/named-constants': 'error' } },
    {
      // A function can be read at once. An exception names its reason in its line.
      files: [...PRODUCT, 'tools/**/*.ts'],
      rules: {
        'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
        'max-depth': ['error', 4],
        complexity: ['error', 12],
      },
    },
    {
      // All code is one program for the compiler, which therefore knows jest's globals everywhere.
      files: [
        '{bin,functions,lib,src,tools}/**/*.ts',
        'console/**/*.{ts,tsx}',
        'packages/{fields,local-aws}/src/**/*.ts',
      ],
      rules: {
        'no-restricted-globals': ['error', ...ONLY_TESTS],
      },
    },
    {
      // The product prints nothing on its own: the one log line of a request goes through
      // `src/lambda/request-log.ts`.
      files: ['src/**/*.ts', 'functions/**/*.ts'],
      excludeFiles: ['src/lambda/request-log.ts'],
      rules: { 'no-console': 'error' },
    },
    {
      // The V8 of Node.js 24 may read one member name as another.
      files: ['packages/{fields,sdk}/src/**/*.ts', 'src/adapters/machine-platform.ts'],
      rules: { 'no-restricted-properties': ['error', NO_JSON_PARSE] },
    },
    {
      files: ['src/**/*.ts', 'functions/**/*.ts'],
      excludeFiles: ['src/adapters/machine-platform.ts'],
      rules: {
        'no-restricted-globals': ['error', ...ONLY_TESTS, ...NO_MACHINE_GLOBALS],
        'no-restricted-properties': ['error', ...NO_MACHINE_PROPERTIES, NO_JSON_PARSE],
        'house/no-date-of-the-machine': 'error',
      },
    },
    {
      // The remedy itself, and what only asks whether a text is JSON.
      files: ['src/core/shared/parse-json.ts', 'src/core/proxy-expressions/is-json.ts'],
      rules: { 'no-restricted-properties': ['error', ...NO_MACHINE_PROPERTIES] },
    },
    {
      // A write whose response was lost is repeated, and the repeat must not fail on its own write.
      files: ['src/**/*.ts', 'functions/**/*.ts'],
      excludeFiles: ['src/adapters/machine-platform.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          ...NO_MACHINE_IMPORTS,
          {
            name: '@aws-sdk/client-dynamodb',
            importNames: ['TransactWriteItemsCommand', 'ExecuteTransactionCommand', 'DynamoDB'],
            message:
              'Use src/adapters/dynamodb/transact.ts: it repeats a transaction under one request token.',
          },
          {
            name: '@aws-sdk/client-dynamodb',
            importNames: ['ConditionalCheckFailedException'],
            message:
              'Use src/adapters/dynamodb/conditional-write.ts: it reports when a repeated write may have met itself.',
          },
        ],
      },
    },
    {
      // The two places that the rule above leads to. The first one reads the errors of both.
      files: ['src/adapters/dynamodb/{transact,conditional-write}.ts'],
      rules: { 'no-restricted-imports': ['error', ...NO_MACHINE_IMPORTS] },
    },
    {
      // Reactor code may replace what a global holds; what guards it takes everything beforehand.
      files: ['reactor-runtime/worker/**/*.ts'],
      excludeFiles: ['reactor-runtime/worker/primordials.ts'],
      rules: {
        'no-restricted-globals': [
          'error',
          ...'Array ArrayBuffer Buffer Error Function JSON Map Math Number Object Promise Proxy RangeError Reflect RegExp Set String Symbol TypeError URL Uint8Array WeakMap WeakSet'
            .split(' ')
            .map((name) => ({ name, message: 'Take it from primordials.ts.' })),
        ],
      },
    },
    {
      // Tests read members of JSON answers and then compare them; types would only repeat the
      // expectation.
      files: ['test/**/*.ts', 'packages/*/test/**/*.ts'],
      rules: {
        'no-restricted-globals': ['error', { name: 'test', message: 'Use `it`, whose title is a sentence.' }],
        // Every run can be repeated by its seed, and the thorough one tries more cases.
        'no-restricted-imports': [
          'error',
          { name: 'fast-check', message: 'Use properties.ts of packages/test-kit.' },
        ],
        'no-restricted-properties': [
          'error',
          { object: 'Math', property: 'random', message: 'Draw from the seed: thoroughness.ts.' },
        ],
        'house/no-limit-of-a-test': 'error',
        'house/no-literal-num-runs': 'error',
        'typescript/no-explicit-any': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/restrict-template-expressions': 'off',
      },
    },
    {
      // A test of these levels passes or fails by what it calls, however slow the machine is.
      files: LOW_TESTS,
      excludeFiles: [
        'packages/sdk/test/in-node-16.test.ts',
        // These compare with the machine's clock, or kill a process when the seed says so.
        'packages/local-aws/test/{clock,aws-endpoint/start-aws-endpoint,dynamodb/crash}.test.ts',
      ],
      rules: {
        'no-restricted-globals': [
          'error',
          { name: 'test', message: 'Use `it`, whose title is a sentence.' },
          ...['setTimeout', 'setInterval', 'performance'].map((name) => ({ name, message: NO_REAL_TIME })),
        ],
        'no-restricted-properties': [
          'error',
          { object: 'Math', property: 'random', message: 'Draw from the seed: thoroughness.ts.' },
          { object: 'Date', property: 'now', message: NO_REAL_TIME },
        ],
        'no-restricted-imports': [
          'error',
          { name: 'fast-check', message: 'Use properties.ts of packages/test-kit.' },
          { name: 'node:timers', message: NO_REAL_TIME },
          { name: 'node:timers/promises', message: NO_REAL_TIME },
        ],
        'house/no-date-of-the-machine': 'error',
      },
    },
    { files: ['**/*.{js,cjs}'], globals: readonly('process console URL') },
    { files: ['**/*.cjs'], globals: readonly('__dirname module require') },
    {
      files: ['examples/browser/checkout.js'],
      globals: readonly('CustomEvent document fetch'),
    },
    { files: ['examples/browser/{server,settings}.js'], globals: readonly('AbortSignal fetch') },
    {
      files: ['examples/jest/test/*.js'],
      globals: readonly('Response afterAll beforeAll beforeEach describe expect it'),
    },
    {
      files: ['packages/test-kit/src/properties.ts'],
      rules: { 'no-restricted-imports': 'off' },
    },
  ],
});
