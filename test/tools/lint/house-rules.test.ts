import { RuleTester } from 'oxlint/plugins-dev';
import { RULES } from '../../../tools/lint/house-rules.ts';

RuleTester.describe = describe;
RuleTester.it = it;
const tester = new RuleTester({ languageOptions: { parserOptions: { lang: 'ts' } } });

/** Runs a rule on code that it accepts, and on code in each of which it reports one place. */
function check(name: string, good: readonly string[], bad: readonly string[]): void {
  const rule = RULES[name];
  if (rule === undefined) throw new Error(`there is no rule ${name}`);
  tester.run(name, rule, {
    valid: [...good],
    invalid: bad.map((code) => ({ code, errors: 1 })),
  });
}

check('no-spread-of-literal', ['f({ ...a, b: 1 })', '[...[1]]'], ['f({ ...{ a: 1 }, b: 1 })']);

check('no-date-of-the-machine', ['new Date(ms)', 'Date.parse(text)'], ['new Date()', 'Date()', 'Date(1)']);

check('no-literal-num-runs', ['f({ numRuns: cases(9) })', 'f({ runs: 9 })'], ['f({ numRuns: 9 })']);

check(
  'no-path-by-hand',
  ['new URL(address).pathname', "new URL('a', import.meta.url)", "'file:///etc'", 'pathToFileURL(path).href'],
  [
    "new URL('a', import.meta.url).pathname",
    'const address = `file://${path}`;',
    "const path = url.replace('file://', '');",
  ],
);

check(
  'no-tuple-declaration',
  [
    'const [a, b] = await Promise.all([c, d]);',
    'const [a, b] = f();',
    'const [first, ...others] = [...names];',
    'const { a, b } = c;',
    '[a, b] = [b, a];',
  ],
  [
    'const [a, b] = [c, d];',
    'let [a, b] = [[] as string[], 0];',
    'const [a] = [c, d] as const;',
    'const [a] = [c] satisfies C;',
    'let [a, b]: [string, number] = [c, 0];',
    'for (let [at, count] = [0, 0]; at < 5; at += 1) f();',
  ],
);

check(
  'named-constants',
  [
    'const MAX_BYTES = 4096;',
    'export const NAME = `a${b}`;',
    'const found = list.find(isRight);',
    'const make = () => 5;',
    'const ready = Promise.resolve(1);',
    'const rest = list.slice(1);',
    'const { path } = options;',
    'let count = 0;',
    'function f() { const limit = 5; }',
  ],
  [
    'const limit = 5;',
    'export const limit = 4 * 1024;',
    "const name = 'a' as const;",
    'const isOn = !isOff;',
    'const path = `${root}/a`;',
    "const path = join(root, 'a');",
    "const list = names.join(', ');",
    'const port = Number(text);',
    "const size = env.SIZE ?? '5';",
    'const size = isBig ? 9 : 5;',
  ],
);

const WIDE = `// ${'x'.repeat(100)}`;
check(
  'narrow-comments',
  [
    `// ${'x'.repeat(97)}`,
    `f(); ${WIDE}`,
    `// https://example.com/${'x'.repeat(100)}`,
    `/**\n * @example ${'x'.repeat(100)}\n */`,
  ],
  [WIDE, `/**\n * ${'x'.repeat(100)}\n */`],
);
