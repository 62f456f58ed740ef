import { readFileSync } from 'node:fs';
import { RELEASE_ITEMS } from '../../../tools/release-check/all-items.ts';
import { isAutomatic } from '../../../tools/release-check/item.ts';
import { releaseCheck } from '../../../tools/release-check/run.ts';

/** The sections of docs/release.md that begin with `### `, by their headings. */
function sections(): readonly (readonly [title: string, text: string])[] {
  const [, ...parts] = readFileSync('docs/release.md', 'utf8').split(/^### /m);
  return parts.map((part) => [part.slice(0, part.indexOf('\n')), part] as const);
}

it('docs/release.md explains exactly the items, in their order', () => {
  expect(sections().map(([title]) => title)).toEqual(RELEASE_ITEMS.map(({ title }) => title));
});

it.each(RELEASE_ITEMS.map((item) => [item.title, item] as const))(
  'docs/release.md says how to run "%s", once',
  (title, item) => {
    const text = sections().find(([heading]) => heading === title)?.[1] ?? '';
    const commands = [...text.matchAll(/^`npm run release-check -- (\S+?)( --service Release)?`/gm)];
    expect(commands.map(([, id, service]) => [id, service !== undefined])).toEqual([
      [item.id, isAutomatic(item)],
    ]);
  },
);

it('every item has an id of its own', () => {
  const ids = RELEASE_ITEMS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

async function run(...args: readonly string[]) {
  let printed = '';
  let problems = '';
  const code = await releaseCheck(args, {
    print: (text) => (printed += text),
    printError: (text) => (problems += text),
    signal: new AbortController().signal,
  });
  return { code, printed, problems };
}

it.each([
  [['sealed'], 'name it with --service NAME'],
  [[], 'name it with --service NAME'],
  [['nothing', '--service', 'Release'], 'no item nothing'],
  [['--unknown'], '--unknown'],
])('refuses %j without a call', async (args, problem) => {
  expect(await run(...args)).toMatchObject({
    code: 2,
    printed: '',
    problems: expect.stringContaining(problem),
  });
});

it('prints the steps of an item for a person as text and as JSON', async () => {
  expect(await run('removal')).toMatchObject({
    code: 0,
    printed: expect.stringContaining('remove-deployment'),
  });
  const { printed } = await run('removal', '--json');
  expect(JSON.parse(printed)).toMatchObject([{ id: 'removal', status: 'needs a person' }]);
});
