import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

const NO_ENUM = { selector: 'TSEnumDeclaration', message: 'Erasable syntax only.' };
const NO_SPREAD_OF_LITERAL = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'List the members: TypeScript does not check a spread literal for members too many.',
};
/** What an instance takes from the machine, so that a simulation can decide it. */
const INJECTED = 'Take it from the `Platform` of the instance: see src/core/shared/platform.ts.';
const NO_MACHINE_GLOBALS = ['setTimeout', 'setInterval', 'setImmediate', 'crypto'].map((name) => ({
  name,
  message: INJECTED,
}));
const NO_MACHINE_PROPERTIES = [
  { object: 'Date', property: 'now', message: INJECTED },
  { object: 'Math', property: 'random', message: INJECTED },
  { object: 'AbortSignal', property: 'timeout', message: INJECTED },
];
const NO_MACHINE_IMPORTS = [
  {
    name: 'node:crypto',
    importNames: [
      ...['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID'],
      ...['generateKey', 'generateKeySync', 'generateKeyPair', 'generateKeyPairSync'],
    ],
    message: INJECTED,
  },
  ...['node:timers', 'node:timers/promises'].map((name) => ({ name, message: INJECTED })),
];
const NO_MACHINE_DATE = {
  selector: ':matches(NewExpression[arguments.length=0], CallExpression)[callee.name="Date"]',
  message: INJECTED,
};
const NO_JSON_PARSE = {
  object: 'JSON',
  property: 'parse',
  message: 'Use `parseJson`: see src/core/shared/parse-json.ts.',
};
/** Reports what tsc would. The compiler has read everything for the other rules already. */
const compiles = {
  create: ({ report, sourceCode }) => ({
    Program(node) {
      const { program, esTreeNodeToTSNodeMap } = sourceCode.parserServices;
      const file = esTreeNodeToTSNodeMap.get(node).getSourceFile();
      const found = [...program.getGlobalDiagnostics(), ...program.getSemanticDiagnostics(file)];
      for (const { code, messageText, start = 0 } of found)
        report({
          loc: sourceCode.getLocFromIndex(start),
          message: `TS${String(code)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
        });
    },
  }),
};
const PRODUCT = ['{bin,functions,lib,reactor-runtime,src}/**/*.ts', 'packages/*/src/**/*.ts'];

export default tseslint.config(
  { ignores: ['packages/sdk/dist/', 'cdk.out/', '.local/', '.cache/', 'coverage/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { types: { rules: { compiles } } },
    rules: {
      'types/compiles': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // One import of a module: `import { value, type Type } from '...'`.
      'no-duplicate-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // A name with a leading underscore says that a value is left out on purpose.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // They took a quarter of the time of the lint. The project declares no enum (NO_ENUM), and
      // tsc rejects an object in place of an instance that has a private member.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // `() => { f(); }` and `() => f()` say the same when f answers nothing.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-syntax': ['error', NO_ENUM, NO_SPREAD_OF_LITERAL],
      eqeqeq: 'error',
    },
  },
  {
    // A number, a text or a flag of a module is a constant: `MAX_BYTES`.
    files: PRODUCT,
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'variable',
          modifiers: ['const', 'global'],
          types: ['boolean', 'number', 'string'],
          format: ['UPPER_CASE'],
        },
        { selector: 'variable', modifiers: ['destructured'], format: null },
      ],
    },
  },
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
    files: ['{bin,functions,lib,src,tools}/**/*.ts', 'packages/local-aws/src/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...'afterAll afterEach beforeAll beforeEach describe expect it jest test'
          .split(' ')
          .map((name) => ({ name, message: 'Only tests have it.' })),
      ],
    },
  },
  {
    // What the product is made of says nothing on its own: the one log line of a request goes
    // through `src/lambda/request-log.ts`.
    files: ['src/**/*.ts', 'functions/**/*.ts'],
    ignores: ['src/lambda/request-log.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    // The V8 of Node.js 24 may read one member name as another.
    files: ['packages/sdk/src/**/*.ts', 'src/adapters/machine-platform.ts'],
    rules: { 'no-restricted-properties': ['error', NO_JSON_PARSE] },
  },
  {
    files: ['src/**/*.ts', 'functions/**/*.ts'],
    ignores: ['src/adapters/machine-platform.ts'],
    rules: {
      'no-restricted-globals': ['error', ...NO_MACHINE_GLOBALS],
      'no-restricted-properties': ['error', ...NO_MACHINE_PROPERTIES, NO_JSON_PARSE],
      'no-restricted-syntax': ['error', NO_ENUM, NO_SPREAD_OF_LITERAL, NO_MACHINE_DATE],
    },
  },
  {
    // The remedy itself, and what only asks whether a text is JSON.
    files: ['src/core/shared/parse-json.ts', 'src/core/proxy/is-json.ts'],
    rules: { 'no-restricted-properties': ['error', ...NO_MACHINE_PROPERTIES] },
  },
  {
    // A write whose response was lost is repeated, and the repeat must not fail on its own write.
    files: ['src/**/*.ts', 'functions/**/*.ts'],
    ignores: ['src/adapters/machine-platform.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        ...NO_MACHINE_IMPORTS,
        {
          name: '@aws-sdk/client-dynamodb',
          importNames: ['TransactWriteItemsCommand', 'ExecuteTransactionCommand', 'DynamoDB'],
          message: 'Use src/adapters/dynamodb/transact.ts: it repeats a transaction under one request token.',
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
    ignores: ['reactor-runtime/worker/primordials.ts'],
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
        { name: 'fast-check', message: 'Use properties.ts of packages/local-aws/test.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Draw from the seed: thoroughness.ts.' },
      ],
      'no-restricted-syntax': [
        'error',
        NO_ENUM,
        NO_SPREAD_OF_LITERAL,
        { selector: 'Property[key.name="numRuns"] > Literal', message: 'Use `cases`.' },
      ],
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
    },
  },
  {
    files: ['**/*.{js,cjs}'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  { files: ['**/*.cjs'], languageOptions: { globals: { __dirname: 'readonly' } } },
  {
    files: ['examples/browser/collect-card.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['addEventListener', 'crypto', 'CustomEvent', 'document', 'fetch'].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['examples/browser/{server,settings}.js'],
    languageOptions: { globals: { AbortSignal: 'readonly', fetch: 'readonly', URL: 'readonly' } },
  },
  prettier,
  {
    files: ['packages/local-aws/test/properties.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    // After `prettier`, which turns the rule off: it does not wrap comments. Examples of the SDK
    // are code.
    files: ['**/*.{ts,js,cjs,mjs}'],
    rules: {
      'max-len': ['error', { code: 1_000, comments: 100, ignoreUrls: true, ignorePattern: '@example' }],
    },
  },
);
