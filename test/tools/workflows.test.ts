// A workflow runs with rights that the code of others must not get.
import { globSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { AUTHOR_PACKAGES } from '../../src/core/reactors/author-packages.ts';

const files = [...globSync('.github/workflows/*.yml'), 'examples/pipeline/github-actions.yml'];
const read = (file: string) => readFileSync(file, 'utf8');

describe.each(files)('%s', (file) => {
  // The owner of an action can move its tags. Dependabot reads the version in the comment.
  it('names each action by the digest of a commit, and its version beside it', () => {
    const used = [...read(file).matchAll(/uses: (.+)/g)].map(([, action]) => action);
    expect(used).not.toEqual([]);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('states its permissions, which write nothing but releases', () => {
    const { permissions } = parse(read(file), { merge: true }) as { permissions: Record<string, string> };
    const written = Object.entries(permissions).filter(([, right]) => right === 'write');
    const allowed: Readonly<Record<string, readonly string[]>> = {
      '.github/workflows/release.yml': ['contents'],
      // Proves the workflow to AWS.
      'examples/pipeline/github-actions.yml': ['id-token'],
    };
    expect(written.map(([name]) => name)).toEqual(allowed[file] ?? []);
  });
});

it('each action has one digest everywhere', () => {
  const used = files.flatMap((file) => [...read(file).matchAll(/uses: ([\w/-]+)@(.+)/g)]);
  const byAction = Map.groupBy(used, ([, action]) => action);
  for (const [action, uses] of byAction)
    expect([action, new Set(uses.map(([, , digest]) => digest)).size]).toEqual([action, 1]);
});

it('updates of what reactor code may require are proposed together', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as { updates: readonly any[] };
  const npm = updates.find((update) => update['package-ecosystem'] === 'npm');
  expect(npm.groups['author-packages'].patterns).toEqual(AUTHOR_PACKAGES.map(({ name }) => name));
});
