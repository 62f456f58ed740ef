import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALLOWED, REFUSED } from '../../reactor-runtime/worker/built-ins.ts';
import { IMAGES, type Image } from '../../src/core/reactors/layer.ts';
import { reactorsOn } from './a-reactor.ts';

const DOCUMENT = readFileSync('docs/reactor-isolation.md', 'utf8');

const OTHER: Readonly<Record<Image, string>> = { node16: '(Node.js 24)', node24: '(Node.js 16)' };

/**
 * The rows of the table in a section that are not of another image alone: the text of the first
 * column, and the names in backticks in the column that lists them.
 */
function rowsOf(
  image: Image,
  section: string,
  column: 0 | 1,
): { readonly about: string; readonly names: readonly string[] }[] {
  const [, text = ''] = DOCUMENT.split(`## ${section}\n`);
  const rows = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  const cellsOf = (row: string) =>
    row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
  const ofImage = rows.slice(2).filter((row) => !cellsOf(row)[0]?.includes(OTHER[image]));
  return ofImage.map((row) => {
    const cells = cellsOf(row);
    return {
      about: cells[0] ?? '',
      names: [...(cells[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    };
  });
}

const namesOf = (image: Image, section: string, column: 0 | 1): readonly string[] =>
  rowsOf(image, section, column)
    .flatMap(({ names }) => names)
    .sort();

const namesAbout = (image: Image, section: string, about: RegExp): readonly string[] =>
  rowsOf(image, section, 1)
    .filter((row) => about.test(row.about))
    .flatMap(({ names }) => names);

type Names = Readonly<Record<'halves' | 'modules' | 'globals' | 'process', readonly string[]>>;

/**
 * Lists the contents of the layer's Node, as the runtime starts it. In a file: `-p` would add
 * globals of its own.
 */
function askNode(image: Image): Names {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-node-'));
  const file = join(folder, 'ask.js');
  writeFileSync(
    file,
    String.raw`const natives = process.binding('natives'); const halves = new Set();
      for (const source of Object.values(natives)) if (typeof source === 'string') for (const [, name] of source.matchAll(/(?:internalBinding|process\.binding)\(\s*'([a-z_0-9]+)'/g)) halves.add(name);
      console.log(JSON.stringify({ halves: [...halves].sort(), modules: [...require('module').builtinModules, 'wasi'].filter((name, at, all) => all.indexOf(name) === at).sort(), globals: Object.getOwnPropertyNames(globalThis).sort(), process: Object.getOwnPropertyNames(process).sort() }))`,
  );
  const flags = ['--no-addons', '--no-deprecation', '--no-warnings'];
  const run = (...args: readonly string[]) =>
    execFileSync(join(reactorsOn(image).layer(), 'bin/node'), args, { env: {}, encoding: 'utf8' });
  const found: Names = JSON.parse(run(...flags, file));
  // The permission model refuses the list of the halves, and adds a member to `process`.
  const model = 'console.log(Object.getOwnPropertyNames(process).includes("permission"))';
  const hasModel = image !== 'node16' && run('--permission', '--eval', model) === 'true\n';
  rmSync(folder, { recursive: true });
  return hasModel ? { ...found, process: [...found.process, 'permission'].sort() } : found;
}

/** Names as `require` takes them. */
const plain = (names: readonly string[]) => names.map((name) => name.replace('node:', '')).sort();

describe.each(IMAGES)(
  'docs/reactor-isolation.md explains why nothing that the Node of %s has can leave the process',
  (image) => {
    const node = askNode(image);
    const has = (name: string) => plain(node.modules).includes(name);

    it('the list explains each native half of a module', () => {
      expect(namesOf(image, 'Native halves', 0)).toEqual(node.halves);
    });

    it('modules, with the verdicts of the runtime', () => {
      expect(namesOf(image, 'Modules', 1)).toEqual(node.modules);
      expect(plain(namesAbout(image, 'Modules', /^allowed/))).toEqual(ALLOWED.filter(has).sort());
      const refused = Object.keys(REFUSED).filter(has).sort();
      expect(plain(namesAbout(image, 'Modules', /^refused/))).toEqual(refused);
    });

    it('globals', () => {
      expect(namesOf(image, 'Globals', 1)).toEqual(node.globals);
    });

    it('members of process, and the forbidden ones do not work', async () => {
      expect(namesOf(image, 'Members of `process`', 1)).toEqual(node.process);
      const refused = namesAbout(image, 'Members of `process`', /^refused/);
      const code = `module.exports = (req) => req.args.names.filter((name) => { const member = process[name]; if (member === undefined) return false; try { member(); return true } catch (error) { return error.code !== 'EACCES' } });`;
      expect(await reactorsOn(image).answerAlone(code, { names: refused })).toEqual({
        outcome: 'returned',
        value: [],
      });
    });
  },
);
