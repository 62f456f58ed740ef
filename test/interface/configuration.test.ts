// Checks docs/contract.md#conditions, #external-ids and #labels-of-values over HTTP.
import { createHash, randomUUID } from 'node:crypto';
import { anApplication, client, management, type Answer, type Body } from '../support/service.ts';

const CODE = 'module.exports = async () => ({ raw: 1 });';
const SECRET = 'a-secret-of-the-provider';

const outcomeOf = ({ status, body }: Answer) => (status < 300 ? status : (body.code as string));
const tagOf = ({ headers }: Answer) => headers.get('etag');
const when = (tag: string | null) => ({ headers: { 'If-Match': tag ?? '' } });
const aName = () => `shop/${randomUUID()}`;

/** A kind of resource that has external ids: how it is made, and what a PUT of it needs. */
const KINDS = [
  { path: '/applications', body: { name: 'Billing', type: 'private', permissions: ['token:read'] } },
  {
    path: '/proxies',
    body: {
      name: 'Provider',
      destination_url: 'https://api.provider.example.com/v1',
      configuration: { KEY: SECRET },
    },
  },
  { path: '/reactors', body: { name: 'Charge', code: CODE, configuration: { url: 'https://example.com' } } },
] as const;

/** The body of a PUT that leaves a resource as it is. */
const putOf = ({ type: _, ...body }: Body): Body => body;

async function made(path: string, body: Body): Promise<Answer> {
  const answer = await management.post(path, body);
  expect(outcomeOf(answer)).toBe(201);
  return answer;
}

describe.each(KINDS)('a condition on one of $path', ({ path, body }) => {
  it('is met by the tag of the newest state alone, which each change raises', async () => {
    const first = await made(path, body);
    const one = `${path}/${first.body.id as string}`;
    const read = await management.get(one);
    expect([tagOf(first), tagOf(first)]).toEqual([tagOf(read), expect.stringMatching(/^"[\w.-]+"$/)]);

    const changed = await management.put(one, putOf(body), when(tagOf(first)));
    expect([outcomeOf(changed), tagOf(changed)]).toEqual([
      200,
      expect.not.stringContaining(tagOf(first) ?? ''),
    ]);
    expect(tagOf(await management.get(one))).toBe(tagOf(changed));
    const { body: current } = await management.get(one);

    const stale = when(tagOf(first));
    for (const refused of [
      await management.put(one, { ...putOf(body), name: 'Lost' }, stale),
      await management.delete(one, stale),
    ])
      expect([refused.status, outcomeOf(refused)]).toEqual([412, 'precondition_failed']);
    expect((await management.get(one)).body).toEqual(current);
    expect(outcomeOf(await management.put(one, putOf(body), when('*')))).toBe(200);
    const newest = tagOf(await management.get(one));
    expect(outcomeOf(await management.delete(one, when(newest)))).toBe(204);
  });

  it('is no answer to what would be an error anyway, and has one form', async () => {
    const { body: resource } = await made(path, body);
    const one = `${path}/${resource.id as string}`;
    const stale = when('"another"');
    expect(outcomeOf(await management.put(one, { ...putOf(body), name: '' }, stale))).toBe(
      'validation_failed',
    );
    expect(outcomeOf(await management.put(`${path}/${randomUUID()}`, putOf(body), stale))).toBe('not_found');
    const { body: other } = await made(path, { ...body, external_id: aName() });
    const taken = { ...putOf(body), external_id: other.external_id as string };
    expect(outcomeOf(await management.put(one, taken, stale))).toBe('external_id_taken');
    for (const wrong of ['W/"a"', '"a", "b"', 'a', '', '"a'])
      expect((await management.put(one, putOf(body), when(wrong))).body).toMatchObject({
        code: 'validation_failed',
        errors: { 'If-Match': [expect.any(String)] },
      });
    for (const refused of [
      await management.get(one, when('*')),
      await management.get(path, when('*')),
      await management.post(path, body, when('*')),
    ])
      expect(refused.body).toMatchObject({ errors: { 'If-Match': ['is not a header of this operation'] } });
  });

  it('lets one of two changes through that began with the same state', async () => {
    const first = await made(path, body);
    const one = `${path}/${first.body.id as string}`;
    const change = (name: string) => management.put(one, { ...putOf(body), name }, when(tagOf(first)));
    const both = await Promise.all([change('A'), change('B')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const winner = both[0].status === 200 ? 'A' : 'B';
    expect((await management.get(one)).body.name).toBe(winner);
  });

  it('is part of a request under an idempotency key', async () => {
    const first = await made(path, body);
    const one = `${path}/${first.body.id as string}`;
    const put = (tag: string | null) =>
      management.put(one, putOf(body), {
        headers: { 'If-Match': tag ?? '', 'SVC-IDEMPOTENCY-KEY': `tag-${first.body.id as string}` },
      });
    const done = await put(tagOf(first));
    const again = await put(tagOf(first));
    expect([again.status, again.body, tagOf(again)]).toEqual([200, done.body, tagOf(done)]);
    expect(outcomeOf(await put('*'))).toBe('key_reused');
  });
});

describe.each(KINDS)('an external id on one of $path', ({ path, body }) => {
  it('belongs to one resource, stays without being sent, and is free after it', async () => {
    const name = aName();
    const { body: resource } = await made(path, { ...body, external_id: name });
    const one = `${path}/${resource.id as string}`;
    expect(resource.external_id).toBe(name);
    const found = await management.get(`${path}?external_id=${encodeURIComponent(name)}`);
    expect(found.body.data).toEqual([(await management.get(one)).body]);

    const second = await management.post(path, { ...body, external_id: name });
    expect([second.status, outcomeOf(second)]).toEqual([409, 'external_id_taken']);
    expect((await management.put(one, putOf(body))).body.external_id).toBe(name);
    const { body: renamed } = await management.put(one, { ...putOf(body), external_id: `${name}/2` });
    expect(renamed.external_id).toBe(`${name}/2`);
    const { body: heir } = await made(path, { ...body, external_id: name });
    expect(heir.id).not.toBe(resource.id);

    expect((await management.put(one, { ...putOf(body), external_id: null })).body).not.toHaveProperty(
      'external_id',
    );
    expect(outcomeOf(await management.delete(`${path}/${heir.id as string}`))).toBe(204);
    expect(outcomeOf(await management.put(one, { ...putOf(body), external_id: name }))).toBe(200);
  });

  it('goes to one of many that ask for it at once', async () => {
    const name = aName();
    const all = await Promise.all(
      Array.from({ length: 3 }, () => management.post(path, { ...body, external_id: name })),
    );
    // A reactor that is still being made shows its name to no other request yet.
    expect(all.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    for (const refused of all.filter(({ status }) => status === 409))
      expect(['external_id_taken', 'conflict']).toContain(refused.body.code);
  });

  it('filters a list exactly, in the order asked for, and never shows all', async () => {
    const names = [aName(), aName()];
    for (const name of names) await made(path, { ...body, external_id: name });
    const query = (...asked: readonly string[]) =>
      `${path}?${asked.map((each) => `external_id=${encodeURIComponent(each)}`).join('&')}`;
    const listed = async (...asked: readonly string[]) =>
      ((await management.get(query(...asked))).body.data as readonly Body[]).map(
        ({ external_id: name }) => name as string,
      );
    expect(await listed(...names)).toEqual(names);
    expect(await listed(...names.toReversed(), 'another')).toEqual(names.toReversed());
    expect(await listed('another')).toEqual([]);
    expect(await listed((names[0] ?? '').toUpperCase())).toEqual([]);
    const { body: page } = await management.get(query(...names));
    const [{ id }] = page.data as readonly [Body];
    expect((await management.get(`${query(...names)}&id=${id as string}`)).body.data).toHaveLength(1);
    expect((await management.get(`${query(names[0] ?? '')}&id=${randomUUID()}`)).body.data).toEqual([]);
    for (const wrong of ['', 'x'.repeat(201)]) expect((await management.get(query(wrong))).status).toBe(400);
  });

  it('can be any text that its filter takes', async () => {
    const name = `${'\u{1F6D2}'.repeat(100)}${randomUUID()}`;
    const { body: resource } = await made(path, { ...body, external_id: name });
    const found = await management.get(`${path}?external_id=${encodeURIComponent(name)}`);
    expect(found.body.data).toMatchObject([{ id: resource.id as string }]);
    await management.delete(`${path}/${resource.id as string}`);
  });

  it('has 1 to 200 characters', async () => {
    for (const wrong of ['', 'x'.repeat(201), 7])
      expect((await management.post(path, { ...body, external_id: wrong })).body).toMatchObject({
        errors: { external_id: [expect.any(String)] },
      });
  });
});

describe('a condition on a key', () => {
  it('is about the key alone, and no change of a key changes the tag of its owner', async () => {
    for (const { path, body } of KINDS.slice(0, 2)) {
      const owner = await made(path, body);
      const one = `${path}/${owner.body.id as string}`;
      const key = await made(`${one}/keys`, { name: 'second' });
      const at = `${one}/keys/${key.body.id as string}`;
      expect(tagOf(await management.get(at))).toBe(tagOf(key));
      const changed = await management.patch(at, { name: 'third' }, when(tagOf(key)));
      expect(outcomeOf(changed)).toBe(200);
      for (const refused of [
        await management.patch(at, { name: 'lost' }, when(tagOf(key))),
        await management.delete(at, when(tagOf(key))),
      ])
        expect(outcomeOf(refused)).toBe('precondition_failed');
      expect((await management.get(at)).body.name).toBe('third');
      expect(outcomeOf(await management.delete(at, when(tagOf(changed))))).toBe(204);
      expect(tagOf(await management.get(one))).toBe(tagOf(owner));
    }
  });
});

describe('a condition on an operation of its own', () => {
  it('guards the keys of an application that is regenerated', async () => {
    const app = await anApplication();
    const one = `/applications/${app.id}`;
    const tag = tagOf(await management.get(one));
    const stale = await management.post(`${one}/regenerate`, undefined, when('"another"'));
    expect(outcomeOf(stale)).toBe('precondition_failed');
    expect((await app.get('/permissions')).status).toBe(200);
    const done = await management.post(`${one}/regenerate`, undefined, when(tag));
    expect([outcomeOf(done), tagOf(done)]).toEqual([200, tagOf(await management.get(one))]);
    expect(tagOf(done)).not.toBe(tag);
  });

  it('guards a patch, and a proxy that goes back to an earlier version', async () => {
    const proxy = await made('/proxies', KINDS[1].body);
    const one = `/proxies/${proxy.body.id as string}`;
    const patched = await management.patch(one, { timeout: 5 }, when(tagOf(proxy)));
    expect(outcomeOf(patched)).toBe(200);
    expect(outcomeOf(await management.patch(one, { timeout: 6 }, when(tagOf(proxy))))).toBe(
      'precondition_failed',
    );
    const revert = (tag: string | null) => management.post(`${one}/revert`, { version: 1 }, when(tag));
    expect(outcomeOf(await revert(tagOf(proxy)))).toBe('precondition_failed');
    const reverted = await revert(tagOf(patched));
    expect([outcomeOf(reverted), reverted.body.version]).toEqual([200, 3]);
  });

  it('guards a patch of a reactor', async () => {
    const reactor = await made('/reactors', KINDS[2].body);
    const one = `/reactors/${reactor.body.id as string}`;
    const patch = (name: string, tag: string | null) =>
      management.patch(one, { name }, { headers: { 'If-Match': tag ?? '' } });
    const done = await patch('A', tagOf(reactor));
    expect([done.status, tagOf(done)]).toEqual([204, tagOf(await management.get(one))]);
    expect(outcomeOf(await patch('B', tagOf(reactor)))).toBe('precondition_failed');
    expect((await management.get(one)).body.name).toBe('A');
  });

  it('guards the tenant, whose configuration has a revision', async () => {
    const tenant = await management.get('/tenants/self');
    const { name, configuration_revision: before } = tenant.body;
    const put = (more: Body, tag: string | null) =>
      management.put('/tenants/self', { name, ...more }, when(tag));
    const first = await put({ configuration_revision: 'one' }, tagOf(tenant));
    expect(first.body).toMatchObject({ configuration_revision: 'one', service_version: expect.any(String) });
    expect(outcomeOf(await put({ configuration_revision: 'two' }, tagOf(tenant)))).toBe(
      'precondition_failed',
    );
    expect((await put({}, tagOf(first))).body.configuration_revision).toBe('one');
    expect((await management.put('/tenants/self', first.body)).body.configuration_revision).toBe('one');
    expect((await put({ configuration_revision: null }, '*')).body.configuration_revision).toBeNull();
    expect((await put({ configuration_revision: 'x'.repeat(201) }, '*')).status).toBe(400);
    expect((await put({ configuration_revision: before }, '*')).status).toBe(200);
  });
});

describe.each(KINDS.slice(1))('labels of the configuration of one of $path', ({ path, body }) => {
  it('are of their values, and go with them', async () => {
    const configuration = { FIRST: `${SECRET}-1`, SECOND: `${SECRET}-2` };
    const labels = { FIRST: 'version 1', SECOND: 'version 1' };
    const { body: resource } = await made(path, { ...body, configuration, configuration_labels: labels });
    const one = `${path}/${resource.id as string}`;
    const shown = async () => (await management.get(one)).body.configuration_labels as unknown;
    expect([resource.configuration_labels, await shown()]).toEqual([labels, labels]);
    const patch = async (change: Body) => (await management.patch(one, change)).status;
    const both = { FIRST: `${SECRET}-3`, SECOND: `${SECRET}-2` };

    expect(await patch({ configuration: both, configuration_labels: { FIRST: 'version 2' } })).toBeLessThan(
      300,
    );
    expect(await shown()).toEqual({ FIRST: 'version 2' });
    expect(await patch({ configuration_labels: { SECOND: 'again', FIRST: null } })).toBeLessThan(300);
    expect(await shown()).toEqual({ SECOND: 'again' });
    expect(await patch({ configuration_labels: null })).toBeLessThan(300);
    expect(await shown()).toBeUndefined();

    const put = (more: Body) => management.put(one, { ...putOf(body), configuration, ...more });
    expect((await put({ configuration_labels: labels })).body.configuration_labels).toEqual(labels);
    expect((await put({})).body).not.toHaveProperty('configuration_labels');
    for (const wrong of [{ THIRD: 'x' }, { FIRST: '' }, { FIRST: 'x'.repeat(201) }, { FIRST: 7 }])
      expect((await put({ configuration_labels: wrong })).status).toBe(400);
  });
});

describe('a caller who may review', () => {
  it('sees names, and no code and no value of a reactor', async () => {
    const configuration = { KEY: SECRET };
    const { body: reactor } = await made('/reactors', {
      name: 'Charge',
      code: `${CODE} // code-of-the-author`,
      configuration,
      configuration_labels: { KEY: 'version 1' },
    });
    const { code: _, configuration: __, ...rest } = reactor;
    const reviewed = {
      ...rest,
      code_digest: createHash('sha256').update(`${CODE} // code-of-the-author`).digest('hex'),
      configuration_names: ['KEY'],
    };
    const reviewer = await anApplication({ type: 'management', permissions: ['reactor:review'] });
    const one = `/reactors/${reactor.id as string}`;
    const read = await reviewer.get(one);
    expect(read.body).toEqual(reviewed);
    expect(tagOf(read)).toBe(tagOf(await management.get(one)));
    expect((await reviewer.get(`/reactors?id=${reactor.id as string}`)).body.data).toEqual([reviewed]);
    expect((await reviewer.get(`${one}/sbom`)).status).toBe(200);
    expect((await reviewer.get('/runtimes')).status).toBe(200);
    expect((await reviewer.get(`${one}/deliveries`)).status).toBe(403);
    expect((await reviewer.put(one, { name: 'x', code: CODE, configuration })).status).toBe(403);
    expect((await reviewer.get('/proxies')).status).toBe(403);
  });

  it('sees a proxy with its keys and versions, and no failures of calls', async () => {
    const { body: proxy } = await made('/proxies', KINDS[1].body);
    const one = `/proxies/${proxy.id as string}`;
    const reviewer = await anApplication({ type: 'management', permissions: ['proxy:review'] });
    for (const path of [one, '/proxies', `${one}/keys`, `${one}/versions`]) {
      const answer = await reviewer.get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(JSON.stringify(answer.body)).not.toContain(SECRET);
    }
    expect((await reviewer.get(`${one}/failures`)).status).toBe(403);
    expect((await reviewer.post(`${one}/keys`, {})).status).toBe(403);
    expect((await reviewer.get('/reactors')).status).toBe(403);
  });

  it('reads in a refusal which of two permissions is missing', async () => {
    const other = await anApplication({ type: 'management', permissions: ['tenant:read'] });
    const { status, body } = await client(other.key).get('/proxies');
    expect([status, body.detail]).toEqual([403, expect.stringContaining('proxy:review or proxy:read')]);
  });
});
