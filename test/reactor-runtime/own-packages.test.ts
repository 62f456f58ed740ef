import { IMAGES } from '../../src/core/reactors/layer.ts';
import { aPackageBundle, type PackageCodes } from '../support/builders/a-package-bundle.ts';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import type { ReactorProcess } from '../support/runtime-api.ts';
import { reactorsOn, withReactor } from './a-reactor.ts';

const CODES: PackageCodes = {
  'date-fns': 'exports.add = (a, b) => a + b; exports.file = typeof __filename;',
  'date-fns/sub': "exports.same = require('date-fns') === require('date-fns');",
  uuid: "exports.v4 = () => 'of the author';",
  users:
    "exports.layers = typeof require('axios').get; exports.builtIn = require('node:path').sep; exports.own = require('uuid').v4();",
  broken: "require('uuid');\n throw new RangeError('4242424242424242')",
  refused: "require('child_process')",
  late: 'exports.call = (number) => { null[number]; }',
};

/** Each ends the load of code as it ends the load of a package. The first ones are always tried. */
const HOSTILE: readonly (readonly [what: string, code: string])[] = [
  ['changes prototypes', "Object.prototype.toJSON = () => 'forged'; Array.prototype.push = () => 7;"],
  ['requires a path', "require('../reactor.js')"],
  ['throws what has a getter', 'throw { get message() { throw 1; }, get stack() { throw 2; } }'],
  ['replaces what the runtime may use', "JSON.stringify = () => '{}'; Promise.prototype.then = () => 1;"],
  ['replaces members of functions', 'Function.prototype.call = Function.prototype.apply = () => 1;'],
  ['requires what is refused', "require('worker_threads')"],
  ['requires an absolute path', "require('/etc/passwd')"],
  ['requires a prefixed name of no built-in', "require('node:lodash')"],
  ['ends the process', 'process.reallyExit ? process.reallyExit(0) : process.exit(0)'],
  ['reads files of the machine', "require('fs').readFileSync('/proc/self/environ')"],
  ['binds native code', "process.binding('spawn_sync')"],
  ['writes to its own file', "require('fs').writeFileSync(__filename, '')"],
  ['throws a proxy', 'throw new Proxy({}, { get() { throw 3; } })'],
];

const withoutPlace = (response: unknown) =>
  JSON.parse(
    JSON.stringify(response).replace(/,?"(?:package|package_line|package_column|line|column)":[^,}]*/g, ''),
  ) as unknown;

/** Runs the body of a function in its arguments. */
const ANY = "module.exports = ({ args }) => new Function('require', 'args', args.code)(require, args);";

describe.each(IMAGES)('%s: the packages of a reactor', (image) => {
  const { withReactor } = reactorsOn(image);
  const run = async (code: string, codes: PackageCodes, options: object = {}) => {
    const { bundle } = await aPackageBundle(codes);
    const invoke = (reactor: ReactorProcess) => reactor.invoke();
    return (await withReactor(code, invoke, { packages: bundle, ...options })).response as unknown;
  };

  it('are required by their names, before those of the layer, each when the code requires it', async () => {
    const { bundle } = await aPackageBundle(CODES);
    const cases: readonly (readonly [code: string, response: object])[] = [
      [
        `const { add } = require('date-fns'); const users = require('users');
         return [add(1, 2), require('date-fns/sub').same, users, require('users') === users];`,
        {
          outcome: 'returned',
          value: [3, true, { layers: 'function', builtIn: '/', own: 'of the author' }, true],
        },
      ],
      [
        "try { require('broken') } catch (error) { return error.name }",
        { outcome: 'returned', value: 'RangeError' },
      ],
      [
        `const tried = () => { try { return require('broken') } catch (error) { return error.message.length } };
         return [tried(), tried(), typeof require('date-fns').add];`,
        { outcome: 'returned', value: [16, 16, 'function'] },
      ],
      [
        "require('late').call(args.number);",
        { outcome: 'threw', error: { class: 'TypeError', line: 1, package: 'late', package_line: 15 } },
      ],
      ["require('refused')", { outcome: 'threw', error: { module: 'child_process' } }],
    ];
    await withReactor(
      ANY,
      async (reactor) => {
        for (const [code, response] of cases)
          expect((await reactor.invoke({ code })).response).toMatchObject(response);
      },
      { packages: bundle },
    );
  });

  it('are named with the place when one does not load', async () => {
    expect(await run("\nconst broken = require('broken'); module.exports = () => broken;", CODES)).toEqual({
      outcome: 'not_loaded',
      reason: 'threw',
      error: {
        class: 'RangeError',
        line: 2,
        column: 16,
        package: 'broken',
        package_line: 11,
        package_column: 8,
      },
    });
  });

  it('do what hostile code does when they load, and no more', async () => {
    for (const [what, attack] of IS_THOROUGH ? HOSTILE : HOSTILE.slice(0, 3)) {
      const inCode = await run(`${attack}\nmodule.exports = () => [1];`, { unused: '' });
      const inPackage = await run("require('hostile'); module.exports = () => [1];", { hostile: attack });
      expect([what, withoutPlace(inPackage)]).toEqual([what, withoutPlace(inCode)]);
    }
  });
});

describe('the packages of a reactor', () => {
  it('are a part of the hash, belong to one reactor, and end a load that has no end', async () => {
    const { bundle } = await aPackageBundle(CODES);
    const code = `module.exports = () => [typeof require('uuid').validate, tried()];
      function tried() { try { require('date-fns') } catch (error) { return error.code } }`;
    const other = await withReactor(code, async (reactor) => ({
      response: (await reactor.invoke()).response as unknown,
      code_sha256: reactor.codeSha256,
    }));
    expect(other.response).toEqual({ outcome: 'returned', value: ['function', 'MODULE_NOT_FOUND'] });
    const { code_sha256 } = other;
    const { response } = await withReactor(code, (reactor) => reactor.invoke({}, { code_sha256 }), {
      packages: bundle,
    });
    expect(response).toEqual({ outcome: 'stale' });
    const endless = await aPackageBundle({ endless: 'while (true);' });
    const { response: ended } = await withReactor(
      "require('endless'); module.exports = () => 1;",
      (reactor) => reactor.invoke(),
      { packages: endless.bundle, loadMs: 300 },
    );
    expect(ended).toEqual({ outcome: 'not_loaded', reason: 'timed_out' });
  });
});
