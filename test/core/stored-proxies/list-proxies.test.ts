import { randomUUID } from 'node:crypto';
import { encryptDefinition, encryptName } from '../../../src/core/stored-proxies/open-proxy.ts';
import { listProxies } from '../../../src/core/stored-proxies/get-proxy.ts';
import type { ProxyDefinition, StoredProxy } from '../../../src/core/stored-proxies/stored-proxy.ts';
import type { PageRequest } from '../../../src/core/lists/pagination.ts';
import { createProxyStore } from '../../../src/adapters/dynamodb/proxy-store.ts';
import { orderedId } from '../../../src/core/shared/ordered-id.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { aVault } from '../../support/builders/a-vault.ts';
import { tablesInMemory } from '../../support/stores-in-memory.ts';
import { someTenantKeys } from '../../support/tenant-keys.ts';

const manager = aCaller({ type: 'management', permissions: ['proxy:read'] });
const { tenantId } = manager;

/** Proxies, the newest first, and what a list of them opens. */
async function aWorld(names: readonly string[], bytes = 10) {
  const vault = aVault();
  const opened: string[] = [];
  const proxies = await Promise.all(
    names.map(async (name, index): Promise<StoredProxy> => {
      const place = { id: orderedId(1_999 - index, randomUUID()), tenantId };
      const definition = { name, destinationUrl: 'x'.repeat(bytes) } as ProxyDefinition;
      return {
        ...place,
        definitionVersion: 1,
        encryptedDefinition: await encryptDefinition(vault, place, 1, definition),
        encryptedName: await encryptName(vault, place, definition),
        configurationNames: [],
        encryptedConfiguration: Buffer.alloc(0),
        secretAuthor: 'owner',
        keys: [],
        createdBy: 'manager',
        createdAt: 1,
        revision: 1,
        version: 1,
      };
    }),
  );
  const store = createProxyStore(tablesInMemory().table('Access'));
  for (const each of proxies) {
    const { encryptedDefinition, createdBy, createdAt } = each;
    await store.create(each, { version: 1, encryptedDefinition, createdBy, createdAt });
  }
  const deps = {
    vault: {
      ...vault,
      decrypt(...args: Parameters<typeof vault.decrypt>) {
        opened.push(args[0].field);
        return vault.decrypt(...args);
      },
    },
    tenantKeys: someTenantKeys(),
    clock: () => 1,
    proxyStore: {
      ...store,
      // A store returns them in any order.
      findMany: async (of: string, ids: readonly string[]) => (await store.findMany(of, ids)).toReversed(),
    },
  } as unknown as Parameters<typeof listProxies>[0];
  const list = (request: PageRequest, name?: string) =>
    listProxies(deps, manager, { ids: [], ...(name !== undefined && { name }) }, request);
  return { list, opened };
}

const numbered = (page: number, size: number) => ({ kind: 'numbered', page, size }) as const;
const namesOf = ({ items }: Awaited<ReturnType<typeof listProxies>>) =>
  items.map(({ definition }) => definition.name);

describe('a list of proxies', () => {
  const names = Array.from({ length: 60 }, (_, index) => `proxy ${String(index)}`);

  it('opens the proxies of its page alone, and counts all', async () => {
    const { list, opened } = await aWorld(names);
    const page = await list(numbered(2, 3));
    expect([namesOf(page), page.info.counted?.items]).toEqual([names.slice(3, 6), 60]);
    expect(opened).toEqual(Array(3).fill('proxy-definition'));
  });

  it('opens names, and no definition, to find those that a filter wants', async () => {
    const { list, opened } = await aWorld(names);
    const none = await list(numbered(1, 20), 'zzz');
    expect([none.items, none.info.counted?.items]).toEqual([[], 0]);
    expect(opened).toEqual(Array(60).fill('proxy-name'));
    expect(namesOf(await list(numbered(1, 20), 'proxy 5*'))).toEqual(
      names.filter((name) => name.startsWith('proxy 5')),
    );
  });

  it('has shorter pages where proxies are large, and goes on by its cursor', async () => {
    const { list } = await aWorld(names, 100_000);
    const found: string[] = [];
    const lengths: number[] = [];
    let after: string | null = null;
    do {
      const request: PageRequest =
        after === null ? numbered(1, 100) : { kind: 'after', cursor: after, size: 100 };
      const page = await list(request);
      if (request.kind === 'numbered') expect(page.info.counted?.items).toBe(60);
      lengths.push(page.items.length);
      found.push(...namesOf(page));
      ({ after } = page.info);
    } while (after !== null);
    expect(found).toEqual(names);
    expect(Math.max(...lengths)).toBeLessThan(30);
    expect(Math.min(...lengths)).toBeGreaterThan(1);
  });
});
