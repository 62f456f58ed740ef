import type { Json } from '../../core/shared/json.ts';
import type { WriteIdentity } from '../../core/shared/write-identity.ts';
import { apiRequest } from '../../http/api-request.ts';
import { withIdempotency, type Answer } from '../../http/idempotency.ts';
import type { MatchedRoute, Route } from '../../http/route.ts';
import { aCaller, anEdge, anEvent } from './an-api.ts';

function aMatch(
  key: string | undefined,
  more: Partial<Route<never>> = {},
  path = '/things',
): MatchedRoute<never> {
  const headers = key === undefined ? {} : { 'SVC-IDEMPOTENCY-KEY': key };
  const method = more.method ?? 'POST';
  return {
    route: {
      operation: 'test',
      method,
      path: '/things',
      success: 201,
      handle: () => Promise.resolve({}),
      ...more,
    },
    params: {},
    request: apiRequest(anEvent({ method, path, headers }), ['SVC']),
  };
}

function setUp() {
  const edge = anEdge();
  let runs = 0;
  const run = (
    matched: MatchedRoute<never>,
    work: (writes: WriteIdentity) => Json | Promise<Json> = () => 'done',
    caller = aCaller(),
  ) =>
    withIdempotency(edge.deps, caller, matched, async (writes): Promise<Answer> => {
      runs += 1;
      return { status: 201, body: { runs, work: await work(writes) } };
    });
  return { ...edge, run, runs: () => runs };
}

describe('an idempotency key', () => {
  it('replays the first success, status and body, however often it is asked', async () => {
    const { run, runs } = setUp();
    const first = await run(aMatch('k'));
    for (let again = 0; again < 3; again += 1) expect(await run(aMatch('k'), () => 'other')).toEqual(first);
    expect(first).toEqual({ status: 201, body: { runs: 1, work: 'done' } });
    expect(runs()).toBe(1);
  });

  it('belongs to one credential, tenant, method and path', async () => {
    const { run, runs } = setUp();
    await run(aMatch('k'));
    await run(aMatch('K'));
    await run(aMatch('k', {}, '/things/1'));
    await run(aMatch('k', { method: 'PUT' }));
    await run(aMatch('k'), undefined, aCaller({ credentialId: 'credential-2' }));
    await run(aMatch('k'), undefined, aCaller({ tenantId: 'tenant-2' }));
    expect(runs()).toBe(6);
  });

  it('is nothing for GET and DELETE, for requests without one, and for what changes nothing', async () => {
    const { run, runs, records } = setUp();
    for (const matched of [
      aMatch('k', { method: 'GET' }),
      aMatch('k', { method: 'DELETE' }),
      aMatch(undefined),
      aMatch('k', { safe: true }),
    ]) {
      await run(matched);
      await run(matched);
    }
    expect(runs()).toBe(8);
    expect(records.size).toBe(0);
  });

  it('a second request while the first runs gets a conflict, and the answer afterwards', async () => {
    const { run, runs } = setUp();
    let finish: (value: Json) => void = () => undefined;
    const first = run(aMatch('k'), () => new Promise<Json>((resolve) => (finish = resolve)));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(run(aMatch('k'))).rejects.toMatchObject({
      code: 'conflict',
      headers: { 'Retry-After': '1' },
    });
    finish('late');
    expect(await first).toEqual(await run(aMatch('k')));
    expect(runs()).toBe(1);
  });

  it('a failure is told as it is, is not kept, and the next try writes under the same names', async () => {
    const { run, runs } = setUp();
    const names: unknown[] = [];
    const draw = (writes: WriteIdentity) =>
      names.push([writes.newId(), writes.newWriteId().toString('hex'), writes.newId()]);
    const failure = new Error('down');
    await expect(
      run(aMatch('k'), (writes) => {
        draw(writes);
        throw failure;
      }),
    ).rejects.toBe(failure);
    await run(aMatch('k'), draw);
    await run(aMatch('other'), draw);
    expect(runs()).toBe(3);
    expect(names[0]).toEqual(names[1]);
    expect(names[2]).not.toEqual(names[1]);
  });

  it('tells the failure of the request even if the claim cannot be given back', async () => {
    const { deps, run } = setUp();
    deps.idempotencyStore.release = () => Promise.reject(new Error('store down'));
    const failure = new Error('first');
    await expect(run(aMatch('k'), () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it('keeps the answer without what must not outlive its time, and answers the first time with it', async () => {
    const { run, records } = setUp();
    const keep = (body: Json): Json => ({ ...(body as object), work: 'without' });
    expect(await run(aMatch('k', { keep }), () => 'cvc 123')).toEqual({
      status: 201,
      body: { runs: 1, work: 'cvc 123' },
    });
    expect(await run(aMatch('k', { keep }))).toEqual({ status: 201, body: { runs: 1, work: 'without' } });
    const [record] = records.values();
    expect(record?.answer?.toString()).not.toContain('cvc 123');
  });

  it('stands in no store: only its hash does', async () => {
    const { run, records } = setUp();
    await run(aMatch('my-own-key'));
    expect(JSON.stringify([...records.keys()])).not.toContain('my-own-key');
  });

  it.each(['', 'k'.repeat(401)])('%# is refused before anything runs, where one is read', async (key) => {
    const { run, runs, records } = setUp();
    await expect(run(aMatch(key))).rejects.toMatchObject({
      code: 'validation_failed',
      errors: { 'SVC-IDEMPOTENCY-KEY': ['must be 1 to 400 characters'] },
    });
    await expect(run(aMatch(key, { safe: true }))).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(run(aMatch(key, { method: 'GET' }))).resolves.toBeDefined();
    expect([runs(), records.size]).toEqual([1, 0]);
  });

  it('may be 400 characters', async () => {
    const { run, runs } = setUp();
    await run(aMatch('k'.repeat(400)));
    await run(aMatch('k'.repeat(400)));
    expect(runs()).toBe(1);
  });
});
