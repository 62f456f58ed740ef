import { execFileSync } from 'node:child_process';
import { needing } from '../../../test/support/needing.ts';
import { tokenIdOf } from '../src/index.ts';

// Python's `uuid.uuid5` made them, so they do not only repeat what the code does.
const KNOWN = [
  ['stripe', 'card_1MvoiELkdIwHu7ixOeFGbN9D', '2d2c7079-b847-5304-a4d6-6b3f3c0fbe62'],
  ['müsl', 'Jörg', '365f1d44-6d75-5fa5-8ce7-aa07eafab119'],
  ['', '', '1447f8bd-19ba-573c-bc4b-0d0e4fc31f72'],
] as const;

it.each(KNOWN)('makes a UUID version 5 of the source %j and the old id %j', async (source, oldId, id) => {
  expect(await tokenIdOf(source, oldId)).toBe(id);
});

it('makes other ids of other pairs, however they are divided', async () => {
  const pairs = [
    ['a', 'b:c'],
    ['a:b', 'c'],
    ['1:a', 'b:c'],
    ['a', 'b:c/details'],
  ] as const;
  const ids = await Promise.all(pairs.map(([source, oldId]) => tokenIdOf(source, oldId)));
  expect(new Set(ids).size).toBe(pairs.length);
});

const GUIDE_PYTHON = `
import sys, uuid
NAMESPACE = uuid.UUID("7d113831-3e81-543a-bd64-392009c06647")
def token_id_of(source, old_id):
    return str(uuid.uuid5(NAMESPACE, f"{len(source.encode())}:{source}:{old_id}"))
print(*(token_id_of(*pair.split("\\t")) for pair in sys.argv[1:]))`;

needing('Python').it('makes the ids of the Python of the guide', () => {
  const pairs = KNOWN.map(([source, oldId]) => `${source}\t${oldId}`);
  const printed = execFileSync('python3', ['-c', GUIDE_PYTHON, ...pairs], { encoding: 'utf8' });
  expect(printed.trim().split(' ')).toEqual(KNOWN.map(([, , id]) => id));
});
