import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const page = readFileSync('docs/architecture.md', 'utf8');

/** A folder of the table: `src` and `packages` have one row for each of theirs. */
const roomOf = (path: string): string => {
  const [first = '', second = ''] = path.split('/');
  return ['src', 'packages'].includes(first) ? `${first}/${second}` : first;
};

const LEFT_OUT = /^(?:node_modules|coverage|\.[^/]*|.*\.[^/]*)$/;

describe('the folders of the repository', () => {
  it('are the rows of the table, each once', () => {
    const ignored = readFileSync('.gitignore', 'utf8').split('\n');
    const isFolder = (path: string) => statSync(path).isDirectory();
    const folders = globSync(['*', 'src/*', 'packages/*'])
      .filter((path) => isFolder(path) && !LEFT_OUT.test(path) && !['src', 'packages'].includes(path))
      .filter((path) => !ignored.some((each) => each.replaceAll('/', '') === path));
    const table = /^\| Folder .*?\n\n/ms.exec(page)?.[0] ?? '';
    const rows = [...table.matchAll(/^\| (`[^|]*`) *\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)\/`/g)].map(([, folder = '']) => folder),
    );
    expect(rows.toSorted()).toEqual(folders.toSorted());
  });

  it('import what the picture says, and nothing that it does not lead to', () => {
    const picture = /accTitle: Which folder may import which\n.*?```/s.exec(page)?.[0] ?? '';
    const names = new Map(
      [...picture.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id = '', name = '']) => [id, name]),
    );
    const drawn = [...picture.matchAll(/^ +(\w+)\S* (?:-- "[^"]*" )?--> (\w+)/gm)].map(
      ([, from = '', to = '']) => [names.get(from) ?? from, names.get(to) ?? to] as const,
    );
    const leadsTo = (from: string): ReadonlySet<string> => {
      const reached = new Set([from]);
      for (const each of reached) for (const [start, end] of drawn) if (start === each) reached.add(end);
      return reached;
    };
    const sources = globSync(
      '{bin,console,functions,lib,packages,reactor-runtime,site,src,tools}/**/*.{ts,tsx}',
      {
        exclude: (path) => /(?:^|\/)(?:node_modules|dist|test)(?:\/|$)/.test(path),
      },
    );
    const imported = new Set(
      sources.flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
          .map(([, path = '']) => normalize(join(dirname(file), path)))
          .filter((path) => path.includes('/') && !path.startsWith('test/'))
          .map((path) => `${roomOf(file)} ${roomOf(path)}`),
      ),
    );
    const arrows = [...imported].map((each) => each.split(' ')).filter(([from, to]) => from !== to);
    expect(arrows.length).toBeGreaterThan(30);
    expect(arrows.filter(([from = '', to = '']) => !leadsTo(from).has(to))).toEqual([]);
    expect(drawn.filter(([from, to]) => !imported.has(`${from} ${to}`))).toEqual([]);
  });
});
