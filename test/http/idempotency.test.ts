import type { Json } from '../../src/core/shared/json.ts';
import type { WriteIdentity } from '../../src/core/shared/write-identity.ts';
import { apiRequest } from '../../src/http/api-request.ts';
import { withIdempotency, type IdempotentRequest } from '../../src/http/idempotency.ts';
import type { MatchedRoute, Route } from '../../src/http/route.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { anApi } from './an-api.ts';
import { anEvent } from '../support/builders/an-event.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

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
    request: apiRequest(machinePlatform, anEvent({ method, path, headers }), ['SVC']),
  };
}

function setUp() {
  const edge = anApi();
  let runs = 0;
  const send = (matched: MatchedRoute<never>, request: Partial<IdempotentRequest> = {}, caller = aCaller()) =>
    withIdempotency(edge.deps, caller, matched, {
      body: {},
      run: () => Promise.resolve({}),
      replay: () => Promise.reject(new Error('nothing was stored')),
      ...request,
    });
  const run = (
    matched: MatchedRoute<never>,
    work: (writes: WriteIdentity) => Json | Promise<Json> = () => 'done',
    caller = aCaller(),
    body: Json = {},
  ) =>
    send(
      matched,
      {
        body,
        async run(writes) {
          runs += 1;
          return { status: 201, body: { runs, work: await work(writes) } };
        },
      },
      caller,
    );
  return { ...edge, send, run, runs: () => runs };
}

describe('an idempotency key', () => {
  it('replays the first success, status and body, any number of times', async () => {
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

  it('is ignored for GET, DELETE and read-only requests, and may be absent', async () => {
    const { run, runs, requestItems } = setUp();
    for (const matched of [
      aMatch('k', { method: 'GET' }),
      aMatch('k', { method: 'DELETE' }),
      aMatch(undefined),
      aMatch('k', { idempotency: 'read_only' }),
    ]) {
      await run(matched);
      await run(matched);
    }
    expect(runs()).toBe(8);
    expect(requestItems()).toEqual([]);
  });

  it('returns a conflict while the first request runs, and its response afterwards', async () => {
    const { run, runs, pass } = setUp();
    let finish: (value: Json) => void = () => undefined;
    const first = run(aMatch('k'), () => new Promise<Json>((resolve) => (finish = resolve)));
    await new Promise((resolve) => setImmediate(resolve));
    pass(18_000);
    await expect(run(aMatch('k'))).rejects.toMatchObject({
      code: 'conflict',
      headers: { 'Retry-After': '14' },
    });
    finish('late');
    expect(await first).toEqual(await run(aMatch('k')));
    expect(runs()).toBe(1);
  });

  it('returns a failure unchanged, stores nothing, and the next attempt writes under the same names', async () => {
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

  it('returns the failure of the request even if the claim cannot be released', async () => {
    const { deps, run } = setUp();
    deps.idempotencyStore.release = () => Promise.reject(new Error('store down'));
    const failure = new Error('first');
    await expect(run(aMatch('k'), () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it('stores the replay data of a route instead of the body, and presents it again', async () => {
    const { send, requestItems } = setUp();
    const request: Partial<IdempotentRequest> = {
      run: () => Promise.resolve({ status: 202, body: 'number 4242', replayData: { id: 1 } }),
      replay: (replayData) => Promise.resolve({ status: 500, body: { again: replayData } }),
    };
    expect(await send(aMatch('k'), request)).toEqual({ status: 202, body: 'number 4242' });
    expect(await send(aMatch('k'), request)).toEqual({ status: 202, body: { again: { id: 1 } } });
    const [{ encryptedResponse } = {}] = requestItems();
    const stored = Buffer.from(encryptedResponse as Uint8Array).toString();
    expect(stored).toContain('"id":1');
    expect(stored).not.toContain('4242');
  });

  it('replays for an equal body in any notation, and for no other body', async () => {
    const { run, runs } = setUp();
    const first = await run(aMatch('k'), undefined, undefined, { a: 1, b: { c: [1, 2], cvc: '123' } });
    const again = (body: Json) => run(aMatch('k'), undefined, undefined, body);
    expect(await again({ b: { cvc: '999', c: [1, 2] }, a: 1 })).toEqual(first);
    expect(await again({ b: { c: [1, 2] }, a: 1 })).toEqual(first);
    for (const other of [
      {},
      null,
      { a: 1 },
      { a: 1, b: { c: [1, 2], cvc: null } },
      { a: 1, b: { c: [1, 2], cvc: 'DE1' } },
      { a: 1, b: { c: [2, 1] } },
      { a: '1', b: { c: [1, 2] } },
    ])
      await expect(again(other)).rejects.toMatchObject({ code: 'key_reused' });
    expect(runs()).toBe(1);
  });

  it.each(['CVC', 'cvv', 'cardCvv2', 'security_code'])('hashes no cvc under the name %s', async (name) => {
    const { run, runs } = setUp();
    const send = (value: Json, number = '1') =>
      run(aMatch('k'), undefined, undefined, { type: 'card', data: { number, [name]: value } });
    const first = await send('123');
    expect(await send('124')).toEqual(first);
    expect(await send(9)).toEqual(first);
    await expect(send('123', '2')).rejects.toMatchObject({ code: 'key_reused' });
    await expect(send('none')).rejects.toMatchObject({ code: 'key_reused' });
    expect(runs()).toBe(1);
  });

  it('can be used with another body after a failure, which then writes under other names', async () => {
    const { run } = setUp();
    const names: string[] = [];
    const failing = (writes: WriteIdentity) => {
      names.push(writes.newId());
      throw new Error('refused');
    };
    await expect(run(aMatch('k'), failing, undefined, { a: 'wrong' })).rejects.toThrow('refused');
    await run(aMatch('k'), (writes) => names.push(writes.newId()), undefined, { a: 'right' });
    expect(new Set(names).size).toBe(2);
  });

  it('stores a response until its end, and reports afterwards that it is no longer available', async () => {
    const { send, deps } = setUp();
    let ran = 0;
    const request: Partial<IdempotentRequest> = {
      run: async (_writes, once) => {
        await once.begin();
        ran += 1;
        return { status: 200, body: 'charged', replayUntil: deps.clock() };
      },
    };
    expect(await send(aMatch('k'), request)).toMatchObject({ body: 'charged' });
    await expect(send(aMatch('k'), request)).rejects.toMatchObject({ code: 'conflict' });
    expect(ran).toBe(1);
  });

  it.each([
    ['states that it may be repeated', true, 2],
    ['states nothing', false, 1],
  ])('lets code run again after a failure only if it %s', async (_title, mayRepeat, times) => {
    const { send } = setUp();
    let ran = 0;
    const request: Partial<IdempotentRequest> = {
      run: async (_writes, once) => {
        await once.begin();
        ran += 1;
        if (mayRepeat) once.mayRepeat();
        throw new Error('lost');
      },
    };
    await expect(send(aMatch('k'), request)).rejects.toThrow('lost');
    await expect(send(aMatch('k'), request)).rejects.toThrow(mayRepeat ? 'lost' : 'has run');
    expect(ran).toBe(times);
  });

  it('is stored as a hash only', async () => {
    const { run, requestItems } = setUp();
    await run(aMatch('my-own-key'));
    expect(JSON.stringify(requestItems())).not.toContain('my-own-key');
  });

  it.each(['', 'k'.repeat(401)])(
    '%# is rejected before anything runs, unless the route reads no key',
    async (key) => {
      const { run, runs, requestItems } = setUp();
      await expect(run(aMatch(key))).rejects.toMatchObject({
        code: 'validation_failed',
        errors: { 'SVC-IDEMPOTENCY-KEY': ['must be 1 to 400 characters'] },
      });
      await expect(run(aMatch(key, { idempotency: 'read_only' }))).rejects.toMatchObject({
        code: 'validation_failed',
      });
      await expect(run(aMatch(key, { method: 'GET' }))).resolves.toBeDefined();
      expect([runs(), requestItems()]).toEqual([1, []]);
    },
  );

  it('may be 400 characters', async () => {
    const { run, runs } = setUp();
    await run(aMatch('k'.repeat(400)));
    await run(aMatch('k'.repeat(400)));
    expect(runs()).toBe(1);
  });
});
