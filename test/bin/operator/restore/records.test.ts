import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import { recordOf } from '../../../../bin/operator/restore/records.ts';
import { createApplicationStore } from '../../../../src/adapters/dynamodb/application-store.ts';
import { createReactorStore } from '../../../../src/adapters/dynamodb/reactor-store.ts';
import { createProxyStore } from '../../../../src/adapters/dynamodb/proxy-store.ts';
import type { StoredProxy } from '../../../../src/core/stored-proxies/stored-proxy.ts';
import { aStoredReactor } from '../../../support/builders/a-stored-reactor.ts';
import { itemsOf, tablesInMemory } from '../../../support/stores-in-memory.ts';
import { aKey, anApplication } from '../../../support/builders/an-application.ts';
import { machinePlatform } from '../../../../src/adapters/machine-platform.ts';

it('a restore treats a stored proxy, its list item, its name, its versions and the uses of its keys as one record', async () => {
  const written: Record<string, unknown>[] = [];
  const client = {
    send({
      input,
    }: {
      readonly input: { readonly TransactItems?: readonly { readonly Put?: { readonly Item: object } }[] };
    }) {
      written.push(
        ...(input.TransactItems ?? []).flatMap(({ Put: put }) =>
          put === undefined ? [] : [{ ...put.Item }],
        ),
      );
      return Promise.resolve({});
    },
  };
  const store = createProxyStore({ client: client as never, platform: machinePlatform, name: 'Access' });
  const proxy: StoredProxy = {
    id: '01a21af1-2d97-7839-978f-874b727a2028',
    tenantId: '11111111-1111-4111-8111-111111111111',
    definitionVersion: 1,
    encryptedDefinition: Buffer.from('definition'),
    encryptedName: Buffer.from('name'),
    configurationNames: [],
    encryptedConfiguration: Buffer.from('configuration'),
    secretAuthor: 'owner',
    keys: [aKey({ hash: Buffer.alloc(32, 1) })],
    createdBy: 'manager',
    createdAt: 1,
    externalId: 'shop/psp',
    revision: 1,
    version: 1,
  };
  await store.create(proxy, {
    version: 1,
    encryptedDefinition: Buffer.from('x'),
    createdBy: 'manager',
    createdAt: 1,
  });
  const records = written.map((item) => recordOf(marshall(item, { removeUndefinedValues: true })));
  // The count of a tenant's proxies is always as it is now.
  expect(records.filter((record) => record !== '{"counts":"all"}')).toEqual(
    Array(5).fill(JSON.stringify({ tenant_id: proxy.tenantId, proxy_id: proxy.id })),
  );
});

it('a restore treats a reactor, its name, the list of its packages and their parts as one record', async () => {
  const tables = tablesInMemory();
  const packages = {
    digest: 'd',
    image: 'node16' as const,
    dependencies: {},
    id: randomUUID(),
    bytes: 400_000,
  };
  const reactor = aStoredReactor({ packages, externalId: 'shop/settle' });
  const stored = { encrypted: Buffer.alloc(packages.bytes), locked: [] };
  await createReactorStore(tables.table('Reactors')).create(reactor, 100, stored);
  const records = [...itemsOf(tables, 'Reactors')].map((item) =>
    recordOf(marshall(item, { removeUndefinedValues: true })),
  );
  expect(records.filter((record) => record !== '{"counts":"all"}')).toEqual(
    Array(5).fill(JSON.stringify({ tenant_id: reactor.tenantId, reactor_id: reactor.id })),
  );
});

it('a restore treats an application, its name, its grants and its keys as one record', async () => {
  const tables = tablesInMemory();
  const application = anApplication({ externalId: 'shop/checkout' });
  await createApplicationStore(tables.table('Access')).create(application);
  const records = [...itemsOf(tables, 'Access')].map((item) =>
    recordOf(marshall(item, { removeUndefinedValues: true })),
  );
  const { tenantId, id } = application;
  expect([...new Set(records)]).toEqual([JSON.stringify({ tenant_id: tenantId, application_id: id })]);
  expect(records).toHaveLength(18);
});
