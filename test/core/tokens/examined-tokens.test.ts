import type { Caller } from '../../../src/core/access/caller.ts';
import type { AccessRule } from '../../../src/core/access/access-rule.ts';
import type { Form } from '../../../src/core/audit/audit-record.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { listTokens } from '../../../src/core/tokens/list-tokens.ts';
import { searchTokens } from '../../../src/core/tokens/search-tokens.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';
import { anAudit } from '../../support/fakes/an-audit.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { created } from '../../support/created.ts';

const creator = aCaller({ tenantId: TENANT, permissions: ['token:create'] });
const under = (transform: AccessRule['transform'], container = '/'): Caller =>
  aCaller({
    tenantId: TENANT,
    permissions: [],
    rules: [{ priority: 1, container, transform, permissions: ['token:read', 'token:search'] }],
  });

async function setUp(count: number) {
  const world = aWallWorld();
  const sightings: { id: string; form: Form }[] = [];
  const counts: number[] = [];
  const audit = {
    ...anAudit(),
    saw: ({ id }: { id: string }, form: Form) => {
      sightings.push({ id, form });
    },
    matched: (matches: number) => {
      counts.push(matches);
    },
  };
  const deps = { ...world.deps, audit };
  const inputs = Array.from({ length: count }, (_, index) => ({
    path: String(index),
    input: {
      type: 'token' as const,
      data: new Secret<Json>('85645298'),
      containers: ['/a/'],
      mask: '{{ data | last4 }}',
      searchIndexes: ['{{ data }}'],
    },
  }));
  const ids = [];
  for (let at = 0; at < count; at += 50)
    ids.push(
      ...(
        await created(world.deps, creator, inputs.slice(at, at + 50), randomIdentity(machinePlatform.random))
      ).map(({ token }) => token.id),
    );
  const search = (caller: Caller, query: string, page = 1, size = 10) =>
    searchTokens(deps, caller, query, { kind: 'numbered', page, size });
  const list = (caller: Caller, id: string) =>
    listTokens(deps, caller, { ids: [id], metadata: [] }, { kind: 'numbered', page: 1, size: 10 });
  return { ids, search, list, sightings, counts };
}

describe('the record of a list or a search', () => {
  it('names a token that only the count shows', async () => {
    const { ids, search, sightings } = await setUp(1);
    const [id = ''] = ids;
    const page = await search(under('mask'), `id:${id} AND data:"85645298"`, 2, 1);
    expect(page).toMatchObject({ items: [], info: { counted: { items: 1 } } });
    expect(sightings).toEqual([{ id, form: 'examined' }]);
  });

  it('names a token of which a wrong guess is denied', async () => {
    const { ids, search, sightings } = await setUp(1);
    const [id = ''] = ids;
    const page = await search(under('mask'), `id:${id} AND data:"other"`);
    expect(page.info.counted?.items).toBe(0);
    expect(sightings).toEqual([{ id, form: 'examined' }]);
  });

  it('names a token that the caller named and may not see, as refused', async () => {
    const { ids, search, list, sightings } = await setUp(1);
    const [id = ''] = ids;
    await list(under('reveal', '/b/'), id);
    await search(under('reveal', '/b/'), `id:${id}`);
    await search(under('redact'), `id:${id} AND data:"85645298"`);
    expect(sightings).toEqual([1, 2, 3].map(() => ({ id, form: 'refused' })));
  });

  it('names every match of a search, shown or not, up to a hundred, and the number of more', async () => {
    const few = await setUp(30);
    await few.search(under('mask'), 'data:"85645298"');
    expect(new Set(few.sightings.map(({ id }) => id))).toEqual(new Set(few.ids));
    expect(few.sightings.filter(({ form }) => form === 'mask')).toHaveLength(10);
    expect(few.counts).toEqual([]);
    const many = await setUp(101);
    await many.search(under('mask'), 'data:"85645298"');
    expect(many.sightings).toHaveLength(10);
    expect(many.counts).toEqual([101]);
  });
});
