import { checkCode } from '../../../src/core/reactors/check-code.ts';
import { codeProblem } from '../../../src/core/reactors/parse-code.ts';
import { Secret } from '../../../src/core/shared/secret.ts';

const problemOf = (code: string) => codeProblem(code, 'node16');

/** A reactor may have 50,000 characters of source. */
const filled = (part: string): string => part.repeat(Math.floor(50_000 / part.length));

describe('the parser of reactor code', () => {
  it.each([
    ['module.exports = (req) => {\n  const a = ;\n}', 'line 2, column 13: Unexpected token'],
    ['module.exports = () => {}}', 'line 1, column 26: Unexpected token'],
    ['  import a from "a"', 'line 1, column 3: the code must be CommonJS: use require and module.exports'],
    ['let a\nlet a', "line 2, column 5: Identifier 'a' has already been declared"],
    ['const r = /a(/', 'line 1, column 12: Invalid regular expression: Unterminated group'],
  ])('names line and column of the syntax error in %j', (code, message) => {
    expect(problemOf(code)).toContain(`has a syntax error at ${message}`);
  });

  it.each([
    'const key = "$"; const',
    'const key = "$',
    'const key = `$',
    'const key = /$(/',
    'const key = /$/gg',
    'const key = {"$" "$"}',
    'const $ = 1; let $',
    '$: $: a',
    'class A { #$ = 1; #$ = 2 }',
    'o.#$',
    '/* $',
    '// $\n}',
    'function f() { "use strict"; eval("$") = 1 }',
  ])('shows no more of the source than a short name: %j', (source) => {
    const secret = `sk_live_${'x'.repeat(40)}`;
    const problem = problemOf(source.replaceAll('$', secret));
    expect(problem).toContain('has a syntax error');
    expect(problem).not.toContain(secret);
  });

  it.each(['(', '[', '{', '`${', 'x => (', '!', 'if (1) ', 'class a extends ', 'a = ', '<!--\n'])(
    'rejects 50,000 characters of %j as nested too deeply',
    (part) => {
      expect(problemOf(filled(part))).toMatch(/^has a syntax error.*: the code is nested too deeply$/);
    },
  );

  it('rejects a regular expression that is nested too deeply', () => {
    expect(problemOf(`/${'('.repeat(24_000)}${')'.repeat(24_000)}/`)).toContain('nested too deeply');
  });

  it('limits the time for very many declarations in one place', () => {
    const names = Array.from({ length: 8_000 }, (_, at) => `a${at.toString(36)}`).join();
    for (const code of [`let ${names}`, `const {${names}} = a`, `try {} catch ({${names}}) {}`])
      expect(problemOf(code)).toContain('the code declares too many names in one place');
  });

  it('limits the time for declarations below many scopes', () => {
    const names = Array.from({ length: 8_000 }, (_, at) => `a${at.toString(36)}`).join();
    const nested = `${'{'.repeat(2_000)}var ${names}${'}'.repeat(2_000)}`;
    expect(problemOf(nested)).toContain('line 1, column 201: the code is nested too deeply');
  });
});

describe('the syntax of an image', () => {
  it.each([
    'using file = open();',
    'const year = /(?<y>\\d{4})-..|..-(?<y>\\d{4})/;',
    'const any = /(?i:visa)-\\d+/;',
  ])('has %j in Node.js 24, and not in Node.js 16', (code) => {
    expect(codeProblem(code, 'node24')).toBeUndefined();
    expect(codeProblem(code, 'node16')).toContain('has a syntax error');
  });

  it('is that of a CommonJS module in Node.js 24 too', () => {
    expect(codeProblem('import a from "a"', 'node24')).toContain('the code must be CommonJS');
  });
});

describe('the check of reactor code', () => {
  const broken = new Secret('let a\nlet a');
  const sound = new Secret('module.exports = () => 1');
  const problem = "has a syntax error at line 2, column 5: Identifier 'a' has already been declared";

  it('rejects a syntax error, and under lenient returns it as a warning', async () => {
    await expect(checkCode(broken, 'node16', 'strict')).rejects.toMatchObject({
      code: 'validation_failed',
      errors: { code: [problem] },
    });
    expect(await checkCode(broken, 'node16', 'lenient')).toEqual([`code ${problem}`]);
  });

  it.each(['strict', 'lenient'] as const)('has nothing to say of sound code: %s', async (compatibility) => {
    expect(await checkCode(sound, 'node16', compatibility)).toEqual([]);
  });
});
