// An import makes again what an export writes, in another deployment. Each token is compared.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVault } from '../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../packages/testing/src/vault.ts';
import { sampleNumber } from '../../tools/import-samples/cards.ts';
import { commandLine } from '../support/command-line.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-round-trip-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A vault with a key that creates and reveals everything. */
async function aVault(): Promise<{ readonly vault: Vault; readonly key: string }> {
  const { vault } = await openVault({});
  const { key } = await vault.applications.create({
    name: 'Move',
    type: 'private',
    rules: [
      {
        priority: 1,
        container: '/',
        transform: 'reveal',
        permissions: ['token:create', 'token:read', 'token:search'],
      },
    ],
  });
  return { vault, key };
}

type Side = Awaited<ReturnType<typeof aVault>>;

async function run({ vault, key }: Side, args: readonly string[]): Promise<string> {
  let written = '';
  const { exitCode, err } = await commandLine(args, {
    isTerminal: false,
    environment: { CLOAKROOM_URL: vault.baseUrl, CLOAKROOM_API_KEY: key, XDG_CONFIG_HOME: folder },
    fetch: vault.fetch,
    output: (bytes) => {
      written += Buffer.from(bytes).toString('utf8');
      return Promise.resolve();
    },
  });
  expect([exitCode, err]).toEqual([0, expect.any(String)]);
  return written;
}

let manifests = 0;
function exported(side: Side): Promise<string> {
  manifests += 1;
  return run(side, [
    'export',
    '--to',
    'cloakroom',
    '--yes',
    '--manifest',
    join(folder, `${String(manifests)}.json`),
  ]);
}

const FAR = '2031-01-01T00:00:00.000+00:00';
const BODIES = [
  { type: 'card', data: { number: sampleNumber(1), expiration_month: 2, expiration_year: 2031, cvc: '123' } },
  {
    type: 'card',
    data: { number: sampleNumber(1) },
    containers: ['/pci/low/'],
    metadata: { customer: 'a b' },
  },
  {
    type: 'card',
    data: { number: sampleNumber(2) },
    mask: '{{ data.number | reveal_last: 4 }}',
    expires_at: FAR,
  },
  { type: 'card', data: { number: sampleNumber(3) }, mask: null, search_indexes: [] },
  { type: 'card_number', data: sampleNumber(4), id: 'old id:7', search_indexes: ['{{ data | last4 }}'] },
  { type: 'bank', data: { routing_number: '021000021', account_number: '000123' } },
  { type: 'social_security_number', data: '078-05-1120', search_indexes: [] },
  {
    type: 'token',
    data: { deep: [1, null, { 'a "b"\n': '=1+1' }] },
    fingerprint_expression: '{{ data.deep }}',
  },
  {
    type: 'token',
    data: '\u202Eüñ\u0000\uD83D\uDE00',
    mask: { shown: '{{ data }}' },
    metadata: { a: '{{ x }}' },
  },
];

it('makes the same tokens with their ids, data, masks, containers, metadata, ends and indexes', async () => {
  const from = await aVault();
  const to = await aVault();
  for (const body of BODIES) await from.vault.client({ apiKey: from.key }).tokens.create(body as never);
  const left = await exported(from);
  expect(left).not.toContain('"cvc"');
  const file = join(folder, 'tokens.ndjson');
  writeFileSync(file, left);
  await run(to, ['import', file, '--from', 'cloakroom', '--no-journal']);
  const lines = (text: string) => text.trim().split('\n').toSorted();
  expect(lines(left)).toHaveLength(BODIES.length);
  expect(lines(await exported(to))).toEqual(lines(left));

  /** Ids by their fingerprints, without these: equal data has equal ones in each tenant. */
  const relations = async ({ vault, key }: Side) => {
    const { data } = await vault.client({ apiKey: key }).tokens.list({ size: 100 });
    const groups = Map.groupBy(data, ({ fingerprint }) => fingerprint);
    return [...groups.values()].map((tokens) => tokens.map(({ id }) => id).toSorted()).toSorted();
  };
  expect(await relations(to)).toEqual(await relations(from));
  for (const query of [
    `data:"${sampleNumber(1).slice(-4)}"`,
    `data:"${sampleNumber(4).slice(-4)}"`,
    'data:"1120"',
  ]) {
    const found = await Promise.all(
      [from, to].map(async ({ vault, key }) => {
        const { data } = await vault.client({ apiKey: key }).tokens.search({ query });
        return data.map(({ id }) => id).toSorted();
      }),
    );
    expect(found[1]).toEqual(found[0]);
  }
});
