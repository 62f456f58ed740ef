import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTATIONS } from './mutations.ts';

const ROOT = join(import.meta.dirname, '../..');

it.each(MUTATIONS.map(({ name, ...mutation }) => [name, mutation] as const))(
  'can break the service so that %s',
  (_name, { file, find, replace }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  },
);

it('each way to break the service has a name of its own', () => {
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
});
