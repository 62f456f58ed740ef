// Checks docs/contract.md#parked-deliveries.
import { randomUUID } from 'node:crypto';
import { httpClient, type HttpClient } from '../support/http-client.ts';
import { describeNeeding, management as ofTarget, openApart, revealing } from '../support/service.ts';
import { target, type Target } from '../support/targets/target.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';
import { until } from '../../packages/test-kit/src/until.ts';

/** A service whose clock the tests move: ten attempts take an hour and a half. */
let service: Target;
let management: HttpClient;
let invoker: HttpClient;
/** Most tests use the first; the other one has no parked deliveries. */
let reactor: string;
let other: string;
/** The parked deliveries have these ids, the oldest first. */
let parked: readonly string[];

const clientOf = (key: string) => httpClient(service.credentials.base_url, key);
const list = (of: string, query = '', by = management) => by.get(`/reactors/${of}/deliveries${query}`);
const idsOf = ({ body }: Awaited<ReturnType<typeof list>>): readonly string[] =>
  body.data.map(({ invocation_id: id }: { invocation_id: string }) => id);
const resend = (of: string, id: string, by = management, headers: Record<string, string> = {}) =>
  by.post(`/reactors/${of}/deliveries/${id}/resend`, undefined, { headers });

async function anApplication(grants: object): Promise<HttpClient> {
  const { body } = await management.post('/applications', { name: 'x', type: 'private', ...grants });
  return clientOf(body.key as string);
}

/** Lets time pass until the reactor has so many parked deliveries. */
const untilParked = (count: number) =>
  until(async () => {
    await service.pass(700_000);
    const found = idsOf(await list(reactor));
    return found.length === count ? found : undefined;
  });

/**
 * The local service runs a clock of its own for ninety minutes of attempts: half a minute of a run.
 * The usual run has these tests in memory, and the rights of both routes in matrices.test.ts.
 */
function inMemoryOrThorough(title: string, tests: () => void): void {
  if (target().name !== 'local') describeNeeding('openApart', title, tests);
  else inThoroughRun.describe(title, tests);
}

it('has no parked delivery for a new reactor, and resends none', async () => {
  const code = 'module.exports = () => ({});';
  const { body } = await ofTarget.post('/reactors', { name: 'quiet', code, configuration: {} });
  const path = `/reactors/${body.id as string}`;
  expect((await ofTarget.get(`${path}/deliveries`)).body).toEqual({
    pagination: { page_size: 20, after: null },
    data: [],
  });
  expect((await ofTarget.post(`${path}/deliveries/${randomUUID()}/resend`)).status).toBe(404);
  expect((await ofTarget.send('DELETE', path)).status).toBe(204);
});

inMemoryOrThorough('the parked deliveries of a reactor', () => {
  beforeAll(async () => {
    service = await openApart();
    management = clientOf(service.credentials.management_key);
    invoker = await anApplication({ rules: [revealing()] });
    const create = async (name: string) =>
      (
        await management.post('/reactors', {
          name,
          code: 'module.exports = ({ args }) => ({ raw: args });',
          configuration: {},
        })
      ).body.id as string;
    [reactor, other] = [await create('one'), await create('two')];
    const { body: token } = await invoker.post('/tokens', { type: 'token', data: 'planted-plaintext' });
    const started: string[] = [];
    for (const path of ['a', 'b', 'planted-path?key=planted-query']) {
      const callback_url = `https://nowhere.invalid/${path}`;
      const args = { secret: `{{ ${token.id as string} }}` };
      const { status, body } = await invoker.post(`/reactors/${reactor}/react`, { callback_url, args });
      expect(status).toBe(202);
      const id = body.id as string;
      started.push(id);
      // A run that the clock overtakes is interrupted.
      await until(async () => {
        const { body: result } = await invoker.get(`/reactors/${reactor}/results/${id}`);
        return result.status === 'succeeded' ? true : undefined;
      });
      await service.pass(1_000);
    }
    parked = started;
    expect(await untilParked(3)).toEqual(parked);
  });
  afterAll(() => service.close());

  it('are listed with what happened, and with nothing of arguments, result and address', async () => {
    const { status, body } = await list(reactor);
    const text = JSON.stringify(body);
    expect([status, body.pagination]).toEqual([200, { page_size: 20, after: null }]);
    expect(text).not.toContain('planted');
    expect(text).not.toContain('nowhere');
    for (const delivery of body.data) {
      const { invocation_id: id, created_at: createdAt, deleted_at: deletedAt, ...rest } = delivery;
      expect(parked).toContain(id);
      expect(rest).toEqual({ status: 'succeeded', attempts: 10, last_reason: expect.any(String) });
      expect(Date.parse(deletedAt as string)).toBeGreaterThan(service.now() + 13 * 86_400_000);
      expect(Date.parse(createdAt as string)).toBeLessThan(service.now());
    }
    expect(idsOf(await list(other))).toEqual([]);
  });

  it('are listed in pages by cursor, without numbers, the oldest first', async () => {
    const first = await list(reactor, '?size=2');
    expect([idsOf(first), Object.keys(first.body.pagination)]).toEqual([
      parked.slice(0, 2),
      ['page_size', 'after'],
    ]);
    const after = encodeURIComponent(first.body.pagination.after as string);
    const second = await list(reactor, `?size=2&after=${after}`);
    expect([idsOf(second), second.body.pagination.after]).toEqual([parked.slice(2), null]);
    expect((await list(other, `?after=${after}`)).status).toBe(400);
    for (const query of ['?page=1', '?size=0', '?size=101', '?after=x', '?id=x'])
      expect([query, (await list(reactor, query)).status]).toEqual([query, 400]);
  });

  it('are shown and sent again by management applications with the permission alone', async () => {
    const manager = (permissions: string[]) => anApplication({ type: 'management', permissions });
    const reader = await manager(['reactor:read']);
    const updater = await manager(['reactor:update']);
    expect((await list(reactor, '', reader)).status).toBe(200);
    expect((await list(reactor, '', updater)).status).toBe(403);
    expect((await list(reactor, '', invoker)).status).toBe(403);
    for (const by of [reader, invoker]) expect((await resend(reactor, parked[0] ?? '', by)).status).toBe(403);
  });

  it('are not found under another reactor, another id, or by another tenant', async () => {
    const [id = ''] = parked;
    const stranger = clientOf((await service.createTenant?.('Stranger'))?.management_key ?? '');
    const theirs = (
      await stranger.post('/reactors', { name: 'x', code: 'module.exports = () => ({});', configuration: {} })
    ).body.id as string;
    const responses = await Promise.all([
      resend(other, id),
      resend(reactor, randomUUID()),
      resend(reactor, 'x'),
      resend(randomUUID(), id),
      resend(reactor, id, stranger),
      resend(theirs, id, stranger),
      list(reactor, '', stranger),
      list('x'),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
    expect(idsOf(await list(theirs, '', stranger))).toEqual([]);
    expect(idsOf(await list(reactor))).toEqual(parked);
  });

  it('are sent again once, with ten attempts more, and the trail has it', async () => {
    const [, id = ''] = parked;
    const key = { 'SVC-IDEMPOTENCY-KEY': randomUUID() };
    const sent = await resend(reactor, id, management, key);
    expect([sent.status, sent.body]).toEqual([204, '']);
    expect((await resend(reactor, id, management, key)).status).toBe(204);
    expect((await resend(reactor, id)).status).toBe(404);
    expect(idsOf(await list(reactor))).toEqual([parked[0], parked[2]]);
    const { body } = await management.get('/logs?operation=resendReactorDelivery');
    expect(body.data).toContainEqual(
      expect.objectContaining({ outcome: 'begun', resource: `reactor:${reactor}`, invocation_id: id }),
    );
    expect(await untilParked(3)).toEqual(parked);
    expect((await list(reactor)).body.data[1]).toMatchObject({ invocation_id: id, attempts: 10 });
  });

  it('end with the key that was revoked, and its session, and not with one that had ended', async () => {
    const { body: shop } = await management.post('/applications', {
      name: 'x',
      type: 'private',
      rules: [revealing()],
    });
    const { body: site } = await management.post('/applications', {
      name: 'x',
      type: 'public',
      permissions: ['token:create'],
    });
    const keys = `/applications/${shop.id as string}/keys`;
    const leaked = (await management.post(keys)).body;
    const ending = (await management.post(keys)).body;
    const { body: session } = await clientOf(site.key as string).post('/sessions');
    await clientOf(leaked.key as string).post('/sessions/authorize', {
      nonce: session.nonce,
      rules: [revealing()],
      expires_at: new Date(service.now() + 3_600_000).toISOString(),
    });
    const callback_url = 'https://nowhere.invalid/thief';
    const [byKey, bySession] = await Promise.all(
      [leaked.key, session.session_key, ending.key].map(async (key) => {
        const { status, body } = await clientOf(key as string).post(`/reactors/${other}/react`, {
          callback_url,
        });
        expect(status).toBe(202);
        return body.id as string;
      }),
    );
    const end = new Date(service.now() + 30_000).toISOString();
    await management.patch(`${keys}/${ending.id as string}`, { expires_at: end });
    expect((await management.delete(`${keys}/${leaked.id as string}`)).status).toBe(204);
    await service.pass(60_000);
    expect((await management.delete(`${keys}/${ending.id as string}`)).status).toBe(204);
    const revoked = [byKey, bySession];
    const found = await until(async () => {
      await service.pass(700_000);
      const { data } = (await list(other)).body as { data: { invocation_id: string; last_reason: string }[] };
      return data.length === 3 ? data : undefined;
    });
    for (const { invocation_id: id, last_reason: reason } of found) {
      expect([id, reason === 'forbidden']).toEqual([id, revoked.includes(id)]);
      expect((await resend(other, id)).status).toBe(revoked.includes(id) ? 409 : 204);
    }
    const { body } = await clientOf(shop.key as string).get(`/reactors/${other}/results/${byKey ?? ''}`);
    // Its other key still reads the result, whether the run had begun or not.
    expect(['succeeded', 'failed']).toContain(body.status);
  });

  it('are gone with the reactor, and at their end', async () => {
    expect((await resend(reactor, parked[0] ?? '')).status).toBe(204);
    await service.pass(15 * 86_400_000);
    expect(idsOf(await list(reactor))).toEqual([]);
    expect((await resend(reactor, parked[2] ?? '')).status).toBe(404);
    expect((await management.delete(`/reactors/${reactor}`)).status).toBe(204);
    expect((await list(reactor)).status).toBe(404);
  });
});
