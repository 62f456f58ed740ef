import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALLOWED, REFUSED } from '../../reactor-runtime/worker/built-ins.ts';
import { answerAlone, layer } from './a-reactor.ts';

const DOCUMENT = readFileSync('docs/reactor-isolation.md', 'utf8');

/**
 * The rows of the table in a section: the text of the first column, and the names in backticks in
 * the column that lists them.
 */
function rowsOf(
  section: string,
  column: 0 | 1,
): { readonly about: string; readonly names: readonly string[] }[] {
  const [, text = ''] = DOCUMENT.split(`## ${section}\n`);
  const rows = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => {
    const [, ...cells] = row.split('|').map((cell) => cell.trim());
    return {
      about: cells[0] ?? '',
      names: [...(cells[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    };
  });
}

const namesOf = (section: string, column: 0 | 1): readonly string[] =>
  rowsOf(section, column)
    .flatMap(({ names }) => names)
    .sort();

const namesAbout = (section: string, about: RegExp): readonly string[] =>
  rowsOf(section, 1)
    .filter((row) => about.test(row.about))
    .flatMap(({ names }) => names);

/**
 * Lists the contents of the layer's Node, as the runtime starts it. In a file: `-p` would add
 * globals of its own.
 */
function askNode(): Record<'halves' | 'modules' | 'globals' | 'process', readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-node-'));
  const file = join(folder, 'ask.js');
  writeFileSync(
    file,
    String.raw`const natives = process.binding('natives'); const halves = new Set();
      for (const source of Object.values(natives)) if (typeof source === 'string') for (const [, name] of source.matchAll(/(?:internalBinding|process\.binding)\(\s*'([a-z_0-9]+)'/g)) halves.add(name);
      console.log(JSON.stringify({ halves: [...halves].sort(), modules: [...require('module').builtinModules, 'wasi'].sort(), globals: Object.getOwnPropertyNames(globalThis).sort(), process: Object.getOwnPropertyNames(process).sort() }))`,
  );
  const flags = ['--no-addons', '--no-deprecation', '--no-warnings'];
  const text = execFileSync(join(layer(), 'bin/node'), [...flags, file], { env: {}, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return JSON.parse(text);
}

const NODE = askNode();

describe('docs/reactor-isolation.md explains why nothing that this Node has can leave the process', () => {
  it('the list explains each native half of a module', () => {
    expect(namesOf('Native halves', 0)).toEqual(NODE.halves);
  });

  it('modules, with the verdicts of the runtime', () => {
    expect(namesOf('Modules', 1)).toEqual(NODE.modules);
    expect([...namesAbout('Modules', /^allowed/)].sort()).toEqual([...ALLOWED].sort());
    expect([...namesAbout('Modules', /^refused/)].sort()).toEqual(Object.keys(REFUSED).sort());
  });

  it('globals', () => {
    expect(namesOf('Globals', 1)).toEqual(NODE.globals);
  });

  it('members of process, and the forbidden ones do not work', async () => {
    expect(namesOf('Members of `process`', 1)).toEqual(NODE.process);
    const refused = namesAbout('Members of `process`', /^refused/);
    const code = `module.exports = (req) => req.args.names.filter((name) => { const member = process[name]; if (member === undefined) return false; try { member(); return true } catch (error) { return error.code !== 'EACCES' } });`;
    expect(await answerAlone(code, { names: refused })).toEqual({ outcome: 'returned', value: [] });
  });
});
