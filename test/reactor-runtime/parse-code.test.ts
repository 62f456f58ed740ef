// The parser of the service accepts the code that the Node.js 16 of the layer loads: both get the
// same snippets, and neither runs them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { codeProblem } from '../../src/core/reactors/parse-code.ts';
import { layer } from './a-reactor.ts';

const ACCEPTED = [
  'module.exports = async (req) => ({ raw: req.args })',
  '#!/usr/bin/env node\nmodule.exports = () => 1',
  'return 1',
  'new.target',
  'var require = 1; function module() {}',
  '{ let exports = 1 }',
  'class A { static { this.a = 1 } }',
  'class A { #x = 1; static has(o) { return #x in o } }',
  'class A { static async *#m() { yield 1 } }',
  'a ??= b?.[c] ?? 1_000n ** 2n',
  'const r = /(?<year>\\d{4})/dgu',
  'try { a() } catch { b() }',
  'for (const await of []) await',
  'async function* f() { for await (const x of f()) yield* x }',
  'with (a) b',
  '<!-- an old comment\nvar a',
  'import("fs").then(() => {})',
  'const let1 = String.raw`\\u`',
  'label: for (;;) break label',
  '"use strict"; exports.a = 1',
  'var a = 010',
  'var \u{20BB7} = "\u2028"',
];

const REFUSED = [
  'module.exports = () => {}}',
  '}); (function () {',
  'module.exports = async (req) => {',
  'import a from "fs"',
  'export default () => 1',
  'import.meta.url',
  'await fetch("x")',
  'const require = 1',
  'let module',
  'class exports {}',
  'let a; let a',
  'const a',
  'const r = /[a--b]/v',
  '"use strict"; with (a) b',
  '"use strict"; var a = 010',
  'using x = y',
  'import json from "./a.json" with { type: "json" }',
  '@decorated class A {}',
  'class A extends B { constructor() { super.super() } #x; #x }',
  'o.#x',
  'a => { } ()',
  'for (let x = 1 of []) ;',
  'x = "a\nb"',
  '`${',
  'new import("x")',
  'break',
  'var a = 1__0',
  'super.a',
  'yield = 1; "use strict"; function* g() { yield = 1 }',
];

/** Node.js 16 compiles a regular expression when it is first reached. */
const REFUSED_EARLY = ['const r = /(/', 'const r = /(?<a>.)|(?<a>.)/'];

/** The result of Node 16 for each, compiled like in the worker. */
function loads(snippets: readonly string[]): readonly boolean[] {
  const program = `const { compileFunction } = require('vm');
    const names = ['exports', 'require', 'module', '__filename', '__dirname'];
    const loads = (code) => { try { compileFunction(code, names); return true } catch { return false } };
    console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')).map(loads)));`;
  const node = join(layer(), 'bin/node');
  const { stdout } = spawnSync(node, ['-e', program], { input: JSON.stringify(snippets), encoding: 'utf8' });
  return JSON.parse(stdout) as readonly boolean[];
}

const accepts = (code: string): boolean => codeProblem(code, 'node16') === undefined;

describe('the parser of reactor code', () => {
  it('accepts and rejects the snippets that Node.js 16 does', () => {
    const snippets = [...ACCEPTED, ...REFUSED];
    const byNode = loads(snippets);
    expect(snippets.filter((code, at) => accepts(code) !== byNode[at])).toEqual([]);
    expect(ACCEPTED.filter((code) => !accepts(code))).toEqual([]);
    expect([...REFUSED, ...REFUSED_EARLY].filter(accepts)).toEqual([]);
  });
});
