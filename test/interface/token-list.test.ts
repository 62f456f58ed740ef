import { ALL_TOKEN_PERMISSIONS, anApplication, aRevealingApplication, CARD } from '../support/service.ts';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';

let serial = 0;
const unique = () => `${String(Date.now())}x${String((serial += 1))}`;

/** An application that sees only the tokens in its own container. */
async function aCorner() {
  const container = `/corner-${unique()}/`;
  const app = await anApplication({
    rules: [{ priority: 1, container, transform: 'reveal', permissions: ALL_TOKEN_PERMISSIONS }],
  });
  const create = (more: Record<string, unknown> = {}) =>
    app.post('/tokens', { type: 'token', data: 'x', containers: [container], ...more });
  return { app, container, create };
}

describe('GET /tokens', () => {
  it('lists the tokens that the caller may read, newest first, and counts no others', async () => {
    const { app, create } = await aCorner();
    await (await anApplication()).post('/tokens', { type: 'token', data: 'not theirs' });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift((await create({ data: index })).body.id);
    const { status, body } = await app.get('/tokens');
    expect(status).toBe(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(body.data.map(({ data }: { data: number }) => data)).toEqual([4, 3, 2, 1, 0]);
    expect(body.pagination).toEqual({
      total_items: 5,
      page_number: 1,
      page_size: 20,
      total_pages: 1,
      after: null,
    });
  });

  it('returns the same pages by number and by cursor', async () => {
    const { app, create } = await aCorner();
    for (let index = 0; index < 7; index += 1) await create({ data: index });
    const page = (query: string) => app.get(`/tokens?${query}`).then(({ body }) => body);
    const second = await page('page=2&size=3');
    expect(second.data.map(({ data }: { data: number }) => data)).toEqual([3, 2, 1]);
    expect(second.pagination).toMatchObject({ total_items: 7, page_number: 2, page_size: 3, total_pages: 3 });
    const last = await page(`size=3&after=${second.pagination.after as string}`);
    expect(last).toMatchObject({ pagination: { page_size: 3, after: null }, data: [{ data: 0 }] });
    expect(Object.keys(last.pagination)).toEqual(['page_size', 'after']);
    const seen: number[] = [];
    for (let after: string | null = ''; after !== null;) {
      const next = await page(`size=2${after === '' ? '' : `&after=${after}`}`);
      seen.push(...next.data.map(({ data }: { data: number }) => data));
      after = next.pagination.after;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect((await page('page=9')).data).toEqual([]);
  });

  it('returns 400 for invalid pages and for cursors of another list', async () => {
    const { app, create } = await aCorner();
    for (let index = 0; index < 3; index += 1) await create();
    for (const query of [
      'page=0',
      'page=-1',
      'page=x',
      'page=1.5',
      'size=0',
      'size=101',
      'size=x',
      'page=101&size=100',
    ]) {
      expect([query, (await app.get(`/tokens?${query}`)).status]).toEqual([query, 400]);
    }
    const { after } = (await app.get('/tokens?size=1')).body.pagination;
    const changed = `${after.slice(0, 5)}${after[5] === 'A' ? 'B' : 'A'}${after.slice(6)}`;
    for (const query of [
      `after=${changed}`,
      'after=x',
      `after=${after}&metadata.a=b`,
      `after=${after}&id=abc`,
    ]) {
      expect((await app.get(`/tokens?${query}`)).status).toBe(400);
    }
    const other = await anApplication({
      rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ALL_TOKEN_PERMISSIONS }],
    });
    expect((await other.get(`/tokens?after=${after}`)).status).toBe(400);
    expect((await app.post('/tokens/search', { query: 'type:token', after })).status).toBe(400);
    expect((await app.get(`/tokens?after=${after}`)).status).toBe(200);
  });

  it('lists each existing token exactly once while others are created and deleted', async () => {
    const { app, container, create } = await aCorner();
    const old = new Set<string>();
    const [hundreds, size] = IS_THOROUGH ? [15, 100] : [3, 50];
    for (let hundred = 0; hundred < hundreds; hundred += 1) {
      const inputs = Array.from({ length: 100 }, () => ({ type: 'token', data: 1, containers: [container] }));
      for (const { id } of (await app.post('/tokenize', inputs)).body) old.add(id as string);
    }
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const { body } = await app.get(`/tokens?size=${String(size)}${after === '' ? '' : `&after=${after}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id).filter((id: string) => old.has(id)));
      after = body.pagination.after;
      const [going] = (await Promise.all([create(), create(), create()])).map(
        (response) => response.body.id as string,
      );
      await app.delete(`/tokens/${going ?? ''}`);
    }
    expect([seen.length, new Set(seen).size]).toEqual([old.size, old.size]);
    expect(old.size).toBe(100 * hundreds);
  });

  it('filters by any number of ids, including malformed ones', async () => {
    const { app, create } = await aCorner();
    const ids = [(await create()).body.id, (await create()).body.id, (await create()).body.id];
    const foreign = (await (await anApplication()).post('/tokens', { type: 'token', data: 1 })).body.id;
    const { body } = await app.get(
      `/tokens?id=${ids[0] as string}&id=${ids[2] as string}&id=nothing&id=${foreign as string}&id=${ids[0] as string}`,
    );
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids[0], ids[2]]);
    expect(body.pagination.total_items).toBe(2);
  });

  it('filters by metadata in three spellings, case-insensitively, all of them combined', async () => {
    const { app, create } = await aCorner();
    const both = (await create({ metadata: { Colour: 'Red', size: 'L' } })).body.id;
    await create({ metadata: { colour: 'red' } });
    await create({ metadata: { colour: 'blue', size: 'l' } });
    const found = async (query: string) =>
      (await app.get(`/tokens?${query}`)).body.data.map(({ id }: { id: string }) => id);
    for (const query of [
      'metadata.colour=RED&metadata.SIZE=l',
      'metadata[colour]=red&metadata[size]=L',
      `metadata=${encodeURIComponent('{"colour":"red","size":"L"}')}`,
      'metadata.colour=red&metadata.size=l&metadata.colour=blue',
    ]) {
      expect([query, await found(query)]).toEqual([query, [both]]);
    }
    expect(await found('metadata.colour=re')).toEqual([]);
    expect(await found(`metadata.colour=red&id=${both as string}`)).toEqual([both]);
    expect((await app.get('/tokens?metadata=x')).status).toBe(400);
  });

  it('filters by the subtree of a container, combined with the other filters', async () => {
    const { app, container, create } = await aCorner();
    const make = async (below: string, more = {}) =>
      (await create({ containers: [`${container}${below}`], ...more })).body.id as string;
    const here = await make('');
    const deep = await make('a/b/', { metadata: { colour: 'red' } });
    const near = await make('ab/');
    const both = await make('c/');
    await app.patch(`/tokens/${both}`, { containers: [`${container}c/`, `${container}a/`] });
    const found = async (query: string) => {
      const { body } = await app.get(`/tokens?${query}`);
      expect(body.pagination.total_items).toBe(body.data.length);
      return body.data.map(({ id }: { id: string }) => id);
    };
    expect(await found(`container=${container}`)).toEqual([both, near, deep, here]);
    expect(await found(`container=${container}a/`)).toEqual([both, deep]);
    expect(await found(`container=${container.toUpperCase()}A`)).toEqual([both, deep]);
    expect(await found(`container=${container}a/&metadata.colour=RED`)).toEqual([deep]);
    expect(await found(`container=${container}a/&id=${near}&id=${deep}`)).toEqual([deep]);
    expect(await found('container=/elsewhere/')).toEqual([]);
    const { body } = await app.get(`/tokens?container=${container}&size=3`);
    const rest = `container=${container}&size=3&after=${body.pagination.after as string}`;
    expect((await app.get(`/tokens?${rest}`)).body.data.map(({ id }: { id: string }) => id)).toEqual([here]);
    expect((await app.get(`/tokens?${rest.replace(container, `${container}a/`)}`)).status).toBe(400);
  });

  it('filters by a container that covers the default one of a type, and counts no token of others', async () => {
    const mark = unique();
    const app = await aRevealingApplication();
    const { body: card } = await app.post('/tokens', { type: 'card', data: CARD, metadata: { mark } });
    const { body: other } = await app.post('/tokens', { type: 'token', data: 1, metadata: { mark } });
    const found = async (query: string, by = app) =>
      (await by.get(`/tokens?${query}`)).body.data.map(({ id }: { id: string }) => id);
    for (const container of ['/pci/', '/pci/high/', '/PCI'])
      expect(await found(`container=${container}&metadata.mark=${mark}`)).toEqual([card.id]);
    expect(await found(`container=/&metadata.mark=${mark}`)).toEqual([other.id, card.id]);
    expect(await found('container=/pci/&size=100')).toContain(card.id);
    expect(await found('container=/pci/&size=100')).not.toContain(other.id);
    const corner = await aCorner();
    const { body } = await corner.app.get('/tokens?container=/pci/');
    expect([body.data, body.pagination.total_items]).toEqual([[], 0]);
  });

  it.each([
    'container=',
    'container=pci',
    'container=%2Fpci%2F..%2F',
    'container=/pci/*',
    'container=/a/&container=/b/',
  ])('400: %s names the container', async (query) => {
    const { status, body } = await (await anApplication()).get(`/tokens?${query}`);
    expect([status, Object.keys(body.errors)]).toEqual([400, ['container']]);
  });
});

describe('POST /tokens/search', () => {
  it('finds tokens by evaluated indexes, exactly, and by their other attributes', async () => {
    const { app, container, create } = await aCorner();
    const mark = unique();
    const ada = (
      await create({
        data: { name: `Ada ${mark}` },
        search_indexes: ['{{ data.name }}', '{{ data.name | downcase }}'],
        metadata: { order: mark },
      })
    ).body;
    const card = (
      await create({ type: 'card', data: CARD, metadata: { order: mark }, containers: [`${container}sub/`] })
    ).body;
    const found = async (query: string) =>
      (await app.post('/tokens/search', { query })).body.data?.map(({ id }: { id: string }) => id);
    expect(await found(`data:"Ada ${mark}"`)).toEqual([ada.id]);
    expect(await found(`data:"ada ${mark}"`)).toEqual([ada.id]);
    expect(await found(`data:"Ada"`)).toEqual([]);
    expect(await found(`metadata.order:"${mark}"`)).toEqual([card.id, ada.id]);
    expect(await found(`metadata.order:"${mark}" AND type:card`)).toEqual([card.id]);
    expect(await found(`metadata.order:${mark} AND data:"Ada ${mark}"`)).toEqual([ada.id]);
    expect(await found(`container:"${container}"`)).toEqual([card.id, ada.id]);
    expect(await found(`container:${container}sub/`)).toEqual([card.id]);
    expect(await found(`id:"${ada.id as string}" AND type:token`)).toEqual([ada.id]);
    expect(await found(`fingerprint:"${card.fingerprint as string}"`)).toEqual([card.id]);
    await app.patch(`/tokens/${ada.id as string}`, { data: { name: 'Grace' } });
    expect(await found(`data:"Ada ${mark}"`)).toEqual([]);
    await app.delete(`/tokens/${card.id as string}`);
    expect(await found(`metadata.order:"${mark}"`)).toEqual([ada.id]);
  });

  it('finds tokens in the default containers of their types', async () => {
    const app = await aRevealingApplication();
    const { body } = await app.post('/tokens', { type: 'social_security_number', data: '078-05-1120' });
    const found = async (query: string) =>
      (await app.post('/tokens/search', { query, size: 100 })).body.data.map(({ id }: { id: string }) => id);
    expect(await found('data:"078-05-1120"')).toContain(body.id);
    expect(await found('data:"078051120"')).toContain(body.id);
    expect(await found('data:"1120" AND container:/pii/')).toContain(body.id);
    expect(await found('container:/pii/high/ AND type:social_security_number')).toContain(body.id);
    expect(await found('container:/pci/ AND type:social_security_number')).toEqual([]);
  });

  it('returns pages by cursor', async () => {
    const { app, create } = await aCorner();
    const order = unique();
    for (let index = 0; index < 5; index += 1) await create({ data: index, metadata: { order } });
    const seen: number[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const { body } = await app.post('/tokens/search', {
        query: `metadata.order:"${order}"`,
        size: 2,
        after,
      });
      seen.push(...body.data.map(({ data }: { data: number }) => data));
      after = body.pagination.after;
    }
    expect(seen).toEqual([4, 3, 2, 1, 0]);
  });

  it.each([
    'x',
    'data:',
    'data:"x',
    'nothing:"x"',
    'data:"a" OR data:"b"',
    'data:"a" data:"b"',
    'data:"a" AND',
    'NOT data:"a"',
    'container:"///"',
  ])('400: %s', async (query) => {
    const app = await anApplication();
    const { status, body } = await app.post('/tokens/search', { query });
    expect([status, Object.keys(body.errors ?? {})]).toEqual([400, ['query']]);
  });

  it('400: an index that evaluates to nothing, unless it reads a cvc', async () => {
    const app = await anApplication();
    const refused = await app.post('/tokens', {
      type: 'card',
      data: CARD,
      search_indexes: ['{{ data.number }}', '{{ data.nothing }}'],
    });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['search_indexes[1]']]);
    const { status } = await app.post('/tokens', {
      type: 'card',
      data: { ...CARD, cvc: '123' },
      search_indexes: ['{{ data.cvc }}'],
    });
    expect(status).toBe(201);
    expect((await app.post('/tokens/search', { query: 'data:"123" AND type:card' })).body.data).toEqual([]);
  });

  it.each([{}, { query: '' }, { query: ' ' }, { query: null }])('400: without a query: %j', async (body) => {
    const app = await aRevealingApplication();
    const { status, body: problem } = await app.post('/tokens/search', body);
    expect([status, Object.keys(problem.errors as object)]).toEqual([400, ['query']]);
  });

  it('returns 403 without token:search', async () => {
    const app = await anApplication({ permissions: ['token:read'] });
    expect((await app.post('/tokens/search', { query: 'type:token' })).status).toBe(403);
  });
});
