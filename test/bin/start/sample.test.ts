import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTenantCredentials, writeCredentials } from '../../../bin/start/credentials-file.ts';
import { fillVault, sampleKeyOf } from '../../../bin/start/sample.ts';
import { openVault } from '../../../packages/testing/src/open-vault.ts';

it('sample data has each kind of thing that the console shows', async () => {
  const { vault } = await openVault({});
  const clientOf = (apiKey: string) => vault.client({ apiKey });
  const management = clientOf(vault.managementKey);
  const sample = await fillVault(management, clientOf);
  const { data: tokens } = await clientOf(sample.key).tokens.list();
  expect(new Set(tokens.map(({ type }) => type))).toEqual(
    new Set(['card', 'social_security_number', 'bank', 'token']),
  );
  expect(tokens.find(({ type }) => type === 'card')?.data).toHaveProperty(
    'number',
    expect.stringMatching(/^\d+$/),
  );
  const { data: records } = await management.logs.list({ size: 100 });
  const forms = new Set(records.flatMap((record) => record.tokens ?? []).map(({ form }) => form));
  expect([...forms].toSorted()).toEqual(['create', 'mask', 'refused', 'reveal']);
  const names = async () => {
    const lists = [management.applications.list(), management.reactors.list(), management.proxies.list()];
    return (await Promise.all(lists)).flatMap(({ data }) => data.map(({ name }) => name));
  };
  expect(await names()).toEqual(expect.arrayContaining(['Billing', 'Charge a card', 'Payment provider']));
});

it('a vault is filled once, and its tenant stores the key that sees the data', async () => {
  const { vault } = await openVault({});
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-sample-'));
  const credentialsFile = join(folder, 'credentials.json');
  const tenant = { tenant_id: 't', management_key: vault.managementKey, webhook_secret: 'w' };
  writeCredentials(credentialsFile, tenant);
  const clientOf = (apiKey: string) => vault.client({ apiKey });
  const start = () =>
    sampleKeyOf({ credentials: readTenantCredentials(credentialsFile) ?? tenant, credentialsFile }, clientOf);
  const key = await start();
  const { data: tokens } = await clientOf(key).tokens.list();
  expect(await start()).toBe(key);
  expect((await clientOf(key).tokens.list()).data).toHaveLength(tokens.length);
  rmSync(folder, { recursive: true });
});
