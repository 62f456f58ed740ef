import { fillVault } from '../../../bin/start/sample.ts';
import { openVault } from '../../../packages/testing/src/open-vault.ts';

it('sample data has each kind of thing that the console shows, and is created once', async () => {
  const { vault } = await openVault({});
  const clientOf = (apiKey: string) => vault.client({ apiKey });
  const management = clientOf(vault.managementKey);
  const sample = await fillVault(management, clientOf);
  const { data: tokens } = await clientOf(sample?.key ?? '').tokens.list();
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
  const before = await names();
  expect(before).toEqual(expect.arrayContaining(['Billing', 'Charge a card', 'Payment provider']));
  expect(await fillVault(management, clientOf)).toBeUndefined();
  expect(await names()).toEqual(before);
});
