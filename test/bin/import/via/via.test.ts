// An import through another vault, over the service itself: that vault is played here.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVault } from '../../../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../../../packages/testing/src/vault.ts';
import type { Fetch } from '../../../../packages/sdk/src/fetch.ts';
import { tokenIdOf } from '../../../../bin/import/token-id-of.ts';
import { commandLine } from '../../../support/command-line.ts';

const VIA = 'https://proxy.other.example/send';
const NUMBERS: Readonly<Record<string, string>> = {
  tok_1: '4242424242424242',
  tok_2: '5555555555554444',
  tok_bad: '4242424242424241',
};
const MAP = `source: other
id: alias
type: card
data: { number: "{{ <alias> | json: '$.number' }}" }
metadata: { customer: person }
`;
const ALIASES = `alias,person,plan
tok_1,p-1,gold
tok_2,p-2,gold
tok_bad,p-3,gold
tok_none,p-4,gold
"tok_1 }}{{ tok_2",p-5,gold
`;

let vault: Vault;
let folder: string;
/** The other vault got these keys of this service. */
let keys: string[];
let printed: string;

beforeEach(async () => {
  ({ vault } = await openVault({}));
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-via-'));
  writeFileSync(join(folder, 'map.yaml'), MAP);
  writeFileSync(join(folder, 'aliases.csv'), ALIASES);
  keys = [];
  printed = '';
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** An answer that does not end. */
const endless = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(100_000));
    },
  });

/** Fills in the data of an alias, and sends the request on. */
const otherVault: Fetch = async (url, request) => {
  if (url !== VIA) return vault.fetch(url, request);
  const { 'OTHER-KEY': own, 'SVC-API-KEY': key = '', ...headers } = request.headers;
  if (own !== 'key-of-the-other-vault') return new Response('no', { status: 401 });
  keys.push(key);
  let unknown = 0;
  const body = String(request.body).replaceAll(
    /\{\{ (\w+) \| json: '\$\.number' \}\}/g,
    (_, alias: string) => {
      if (!Object.hasOwn(NUMBERS, alias)) unknown += 1;
      return NUMBERS[alias] ?? '';
    },
  );
  if (unknown > 0) return new Response(endless(), { status: 404 });
  return vault.fetch(`${vault.baseUrl}/tokens`, {
    ...request,
    headers: { ...headers, 'SVC-API-KEY': key },
    body,
  });
};

async function anImporter(permissions: readonly string[] = ['token:create']) {
  return await vault.applications.create({
    name: 'Import',
    type: 'public',
    permissions: permissions as never,
  });
}

async function run(application: string, more: readonly string[] = []) {
  const report = join(folder, 'report.json');
  const outcome = await commandLine(
    [
      ...['import', '--ids', join(folder, 'aliases.csv'), '--map', join(folder, 'map.yaml'), '--via', VIA],
      ...['--via-application', application, '--via-address', '127.0.0.1', '--via-address', '::1'],
      ...['--via-secret', 'OTHER-KEY=env:OTHER', '--report', report, ...more],
    ],
    {
      environment: {
        CLOAKROOM_URL: vault.baseUrl,
        CLOAKROOM_API_KEY: vault.managementKey,
        OTHER: 'key-of-the-other-vault',
        XDG_CONFIG_HOME: folder,
      },
      fetch: otherVault,
    },
  );
  printed += outcome.out + outcome.err;
  return { ...outcome, report: JSON.parse(readFileSync(report, 'utf8')) };
}

it('moves tokens by a key that is gone afterwards, and goes on after a stop', async () => {
  const { id } = await anImporter();
  const first = await run(id);
  expect([first.exitCode, first.report]).toMatchObject([
    1,
    { rows: 5, imported: 2, refused: 3, complete: true, ignored_columns: ['plan'] },
  ]);
  expect(first.report.refused_rows).toEqual([
    { row: 3, column: 'alias', problem: 'is refused by this service' },
    { row: 4, problem: 'the other vault answers 404' },
    { row: 5, column: 'alias', problem: expect.stringContaining('letters, digits') },
  ]);
  const ids = ['tok_1', 'tok_2'].map((alias) => tokenIdOf('other', alias));
  const again = await run(id);
  expect(again.report).toMatchObject({ rows: 5, imported: 0, there: 2, refused: 3 });
  expect(new Set(keys).size).toBe(2);
  for (const key of keys)
    await expect(
      vault.client({ apiKey: key }).tokens.create({ type: 'token', data: 1 }),
    ).rejects.toMatchObject({
      status: 401,
    });
  expect((await vault.applications.keys.list(id)).map(({ name }) => name)).not.toContain(
    'import through another vault',
  );
  const { key } = await vault.applications.create({
    name: 'Reader',
    type: 'private',
    permissions: ['token:read'],
  });
  const found = await vault.client({ apiKey: key }).tokens.list({ id: ids });
  expect(found.data.map(({ metadata }) => metadata)).toEqual([
    { source_id: 'tok_1', customer: 'p-1' },
    { source_id: 'tok_2', customer: 'p-2' },
  ]);
  for (const secret of [...Object.values(NUMBERS), 'key-of-the-other-vault', ...keys])
    expect(printed + JSON.stringify(again.report)).not.toContain(secret);
});

it('sends nothing for an application that may do more, and needs addresses', async () => {
  const { id } = await vault.applications.create({
    name: 'More',
    type: 'private',
    permissions: ['token:create'],
  });
  await expect(run(id)).rejects.toThrow('ENOENT');
  expect(printed).toContain('is not of the type public');
  expect(keys).toEqual([]);
});

it('checks the file without a key or a request where it is a dry run', async () => {
  const { id } = await anImporter();
  const { report } = await run(id, ['--dry-run']);
  expect(report).toMatchObject({ rows: 5, imported: 4, refused: 1 });
  expect(keys).toEqual([]);
  expect(await vault.applications.keys.list(id)).toHaveLength(1);
});
