import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createCredentialStore } from '../../../src/adapters/dynamodb/credential-store.ts';
import { createKeyUses } from '../../../src/adapters/dynamodb/key-uses.ts';
import { ALL_COPIES, credentialKey, grantsKey } from '../../../src/adapters/dynamodb/keys.ts';
import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { RETIRED_MS } from '../../../src/core/access/credential-store.ts';
import type { ApplicationKey } from '../../../src/core/applications/application-key.ts';
import type { Application } from '../../../src/core/applications/application.ts';
import { aDatabase } from '../../support/a-database.ts';
import { aKey, anApplication } from '../../support/builders/an-application.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const NOW = 1_800_000_000_000;
const DAYS = ['2026-11-25', '2026-11-26', '2026-11-27'] as const;
const LARGE = Array.from({ length: 60 }, (_, at) => ({
  priority: at + 1,
  container: `/${'c'.repeat(90)}${String(at)}/` as const,
  transform: 'mask' as const,
  permissions: ['token:read' as const],
}));

let database: Awaited<ReturnType<typeof aDatabase>>;
let calls: string[];
let table: ReturnType<typeof aTable>;
const aTable = () => ({
  client: database.tables((operation) => {
    calls.push(operation);
    return undefined;
  }).client,
  platform: { ...machinePlatform, clock: () => NOW },
  name: 'Access',
});
let store: ReturnType<typeof createApplicationStore>;
let uses: ReturnType<typeof createKeyUses>;
beforeAll(async () => {
  calls = [];
  database = await aDatabase();
  table = aTable();
  [store, uses] = [createApplicationStore(table), createKeyUses(table)];
});
afterAll(() => database.close());

async function copyOf(hash: Buffer, copy = 0): Promise<Record<string, unknown> | undefined> {
  const command = new GetCommand({ TableName: 'Access', Key: credentialKey(hash, copy) });
  return (await table.client.send(command)).Item;
}

async function made(keys: readonly ApplicationKey[], more: Partial<Application> = {}): Promise<Application> {
  const application = anApplication({ keys, ...more });
  expect(await store.create(application)).toBe(true);
  return application;
}

const without = (application: Application): Application => ({
  ...application,
  keys: [],
  version: application.version + 1,
});

describe('the last use of a key', () => {
  it('is a day that never goes back', async () => {
    const key = aKey();
    const application = await made([key]);
    for (const [noted, shown] of [
      [DAYS[1], DAYS[1]],
      [DAYS[0], DAYS[1]],
      [DAYS[2], DAYS[2]],
    ] as const) {
      await uses.note(key.hash, noted);
      expect((await store.lastUses(application)).get(key.id)).toBe(shown);
    }
  });

  it('is not written to a key that was deleted, or that never was', async () => {
    const key = aKey();
    const application = await made([key]);
    await store.update(application, without(application));
    const tombstone = await copyOf(key.hash);
    await uses.note(key.hash, DAYS[1]);
    expect(await copyOf(key.hash)).toEqual(tombstone);
    const never = aKey();
    await uses.note(never.hash, DAYS[1]);
    expect(await copyOf(never.hash)).toBeUndefined();
  });

  it('survives a change of the key', async () => {
    const key = aKey();
    const application = await made([key]);
    await uses.note(key.hash, DAYS[1]);
    const next = { ...application, keys: [{ ...key, expiresAtMs: NOW + 1_000 }], version: 2 };
    expect(await store.update(application, next)).toBe(true);
    expect(await copyOf(key.hash)).toMatchObject({ lastUsedOn: DAYS[1], expiresAtMs: NOW + 1_000 });
  });
});

describe('DynamoDB expires', () => {
  const seconds = (ms: number) => Math.ceil(ms / 1_000);
  const ttlOf = async ({ hash }: ApplicationKey) =>
    Promise.all(ALL_COPIES.map(async (copy) => Number((await copyOf(hash, copy))?.['ttl'])));

  it('an expired key and a deleted one thirty days after their end', async () => {
    const ends = aKey({ expiresAtMs: NOW + 5_000 });
    const stays = aKey();
    const application = await made([ends, stays]);
    expect(new Set(await ttlOf(ends))).toEqual(new Set([seconds(NOW + 5_000 + RETIRED_MS)]));
    expect(new Set(await ttlOf(stays))).toEqual(new Set([Number.NaN]));
    await store.update(application, without(application));
    for (const key of [ends, stays])
      expect(new Set(await ttlOf(key))).toEqual(new Set([seconds(NOW + RETIRED_MS)]));
  });

  it('a key of an application that ends with it', async () => {
    const key = aKey({ expiresAtMs: NOW + 9_000_000 });
    await made([key], { expiresAtMs: NOW + 1_000_000 });
    expect(new Set(await ttlOf(key))).toEqual(new Set([seconds(NOW + 1_000_000)]));
  });
});

describe('rights that are not in the copies of a key', () => {
  it('are read together with it once the key was found', async () => {
    const key = aKey();
    await made([key], { rules: LARGE });
    const credentials = createCredentialStore(table);
    const callsOf = async () => {
      calls = [];
      const found = await credentials.findByKeyHash(key.hash);
      expect(found).toMatchObject({ caller: { rules: LARGE } });
      return calls.length;
    };
    expect([await callsOf(), await callsOf(), await callsOf()]).toEqual([2, 1, 1]);
  });

  it('are not read for a key that has expired', async () => {
    const key = aKey({ expiresAtMs: NOW });
    await made([key], { rules: LARGE });
    const credentials = createCredentialStore(table);
    calls = [];
    expect(await credentials.findByKeyHash(key.hash)).toMatchObject({ ended: { keyId: key.id } });
    expect(calls).toHaveLength(1);
  });

  it('do not serve a key that its application does not list, or that has no application', async () => {
    const listed = aKey();
    const other = aKey();
    const application = await made([listed, other], { rules: LARGE });
    // No write of the service does that: the application loses a key whose copies stay.
    const next = { ...application, keys: [listed], version: 2 };
    await store.update({ ...application, keys: [listed] }, next);
    const credentials = createCredentialStore(table);
    expect(await credentials.findByKeyHash(listed.hash)).toBeDefined();
    expect(await credentials.findByKeyHash(other.hash)).toBeUndefined();
    for (const copy of ALL_COPIES) {
      const Key = grantsKey(application.tenantId, application.id, copy);
      await table.client.send(new DeleteCommand({ TableName: 'Access', Key }));
    }
    expect(await credentials.findByKeyHash(listed.hash)).toBeUndefined();
  });
});
