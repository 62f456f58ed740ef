import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aDynamoDb, s } from './a-dynamodb.ts';

let good: string;
let directory: string;

beforeAll(async () => {
  good = mkdtempSync(join(tmpdir(), 'good-'));
  const { send, service } = await aDynamoDb(good);
  await send('PutItem', { TableName: 'Plain', Item: { id: s('a') } });
  await service.close();
  // Moves the content of the log to a table.
  await (await aDynamoDb(good)).service.close();
});

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'damaged-'));
  cpSync(good, directory, { recursive: true });
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

afterAll(() => {
  rmSync(good, { recursive: true });
});

it.each<[string, RegExp, (file: string) => void, RegExp]>([
  ['a missing MANIFEST', /^MANIFEST/, rmSync, /MANIFEST-\d+: No such file/],
  [
    'an empty MANIFEST',
    /^MANIFEST/,
    (file) => {
      truncateSync(file);
    },
    /\(in CURRENT or the MANIFEST that it names\)/,
  ],
  [
    'a damaged CURRENT',
    /^CURRENT$/,
    (file) => {
      writeFileSync(file, 'nonsense');
    },
    /CURRENT file does not end with newline/,
  ],
  ['a missing table', /\.ldb$/, rmSync, /missing files; e\.g\.: .*\.ldb/],
  [
    'a truncated table',
    /\.ldb$/,
    (file) => {
      truncateSync(file, 50);
    },
    /\.ldb/,
  ],
])('%s is named', async (_title, pattern, damage, message) => {
  const database = join(directory, 'dynamodb');
  for (const name of readdirSync(database).filter((each) => pattern.test(each))) damage(join(database, name));
  const opening = aDynamoDb(directory);
  await expect(opening).rejects.toThrow(`${database} is damaged: `);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(/; restore the data folder from a copy, or use another one$/);
});

it('one flipped bit in the log stops each start, since acknowledged writes are lost', async () => {
  const { send, service } = await aDynamoDb(directory);
  for (const id of ['a', 'b', 'c'])
    await send('PutItem', { TableName: 'Plain', Item: { id: s(id.repeat(999)) } });
  await service.close();
  const database = join(directory, 'dynamodb');
  const log = join(database, readdirSync(database).find((name) => name.endsWith('.log')) ?? '');
  const bytes = readFileSync(log);
  const at = bytes.indexOf('bbb');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(log, bytes);
  for (const _start of [1, 2])
    await expect(aDynamoDb(directory)).rejects.toThrow(
      /is damaged: acknowledged writes are lost \(LevelDB: dropping \d+ bytes; Corruption: checksum mismatch\)/,
    );
});
