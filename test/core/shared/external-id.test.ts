import { asOwned } from '../../../src/core/shared/external-id.ts';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createProxyStore } from '../../../src/adapters/dynamodb/proxy-store.ts';
import { anApplication } from '../../support/builders/an-application.ts';
import { aProxy, aVersion } from '../../support/builders/a-stored-proxy.ts';
import { tablesInMemory } from '../../support/stores-in-memory.ts';

const EXTERNAL_ID = 'shop/checkout';

describe('a resource that a restore brings back without its external id', () => {
  /** Another application has taken the name since, and perhaps freed it again. */
  async function aWorld({ isFree }: { readonly isFree: boolean }) {
    const store = createApplicationStore(tablesInMemory().table('Access'));
    const other = anApplication({ externalId: EXTERNAL_ID });
    const restored = anApplication({ tenantId: other.tenantId });
    await store.create(restored);
    await store.create(other);
    if (isFree) await store.delete(other);
    return { store, restored: { ...restored, externalId: EXTERNAL_ID }, other };
  }

  const holder = async ({ store, restored }: Awaited<ReturnType<typeof aWorld>>) =>
    (await store.findNamed(restored.tenantId, [EXTERNAL_ID])).get(EXTERNAL_ID);

  it('takes it again by a change that names it, if it is free', async () => {
    const world = await aWorld({ isFree: true });
    const { store, restored } = world;
    const owned = await asOwned(store, restored, EXTERNAL_ID);
    expect(await store.update(owned, { ...restored, version: restored.version + 1 })).toBe(true);
    expect(await holder(world)).toBe(restored.id);
  });

  it('leaves it to another resource that has it, also when it is deleted', async () => {
    const world = await aWorld({ isFree: false });
    const { store, restored, other } = world;
    const owned = await asOwned(store, restored, EXTERNAL_ID);
    expect(await store.update(owned, { ...restored, version: restored.version + 1 })).toBe(false);
    expect(await store.delete(restored)).toBe(true);
    expect(await holder(world)).toBe(other.id);
  });

  it('stays as it is by a change without its name', async () => {
    const { store, restored } = await aWorld({ isFree: true });
    expect(await asOwned(store, restored, undefined)).toBe(restored);
    expect(await asOwned(store, restored, 'another')).toBe(restored);
  });
});

it('the size of a listed proxy has the names and labels that a page shows', async () => {
  const store = createProxyStore(tablesInMemory().table('Access'));
  const configurationLabels = { A: '\u0001'.repeat(200) };
  const proxy = aProxy({ configurationLabels, externalId: EXTERNAL_ID });
  await store.create(proxy, aVersion(1));
  const [listed] = await store.findListed(proxy.tenantId, [proxy.id]);
  expect(listed?.bytes).toBeGreaterThan(1_200);
});
