import { ApiError, ConnectionError, createClient, TimeoutError, type Client } from '../src/index.ts';
import { retryAfterSeconds, retrying } from '../src/retry.ts';
import { whenever } from '../../test-kit/src/event-loop.ts';
import { withService, type Reply } from './a-service.ts';

const calling = async (
  call: (client: Client, received: readonly unknown[]) => PromiseLike<unknown>,
  replies: readonly Reply[] = [],
  options: { readonly maxRetries?: number; readonly timeoutMs?: number } = {},
) =>
  withService(replies, async (baseUrl, received) => {
    const client = createClient({ baseUrl, apiKey: 'key_private_x', ...options });
    const outcome = await call(client, received).then(
      (value) => ({ value, error: undefined }),
      (error: unknown) => ({ value: undefined, error: error as any }),
    );
    return { ...outcome, received };
  });

const get = (client: Client) => client.tokens.retrieve('x');
const create = (idempotencyKey?: string) => (client: Client) =>
  client.tokens.create({ type: 'token', data: 1 }, { idempotencyKey });

const throttled = { status: 429, headers: { 'Retry-After': '0' } };
const dropped: Reply = { status: 0, instead: 'drop' };
const running = { status: 409, headers: { 'Retry-After': '0' }, body: { title: 'Conflict' } };

// Concurrently, where a test waits for pauses between attempts.
describe('the client retries', () => {
  it.concurrent.each([429, 502, 503, 504])('a GET after %i, as long as Retry-After says', async (status) => {
    const { value, received } = await calling(get, [{ status, headers: { 'Retry-After': '0' } }]);
    expect(value).toEqual({});
    expect(received).toHaveLength(2);
  });

  it.concurrent('a GET after a lost response, and after one that was cut off', async () => {
    const { value, received } = await calling(get, [dropped, { status: 200, instead: 'cut' }]);
    expect(value).toEqual({});
    expect(received).toHaveLength(3);
  });

  it.concurrent('search and detokenize, which are read-only', async () => {
    for (const call of [
      (client: Client) => client.tokens.search({ query: 'type:card' }),
      (client: Client) => client.detokenize({ a: '{{ x }}' }),
    ])
      expect((await calling(call, [throttled])).received).toHaveLength(2);
  });

  it.concurrent.each(['token', 'patch', 'put', 'tokenize', 'regenerate', 'revert'])(
    'a write under an idempotency key, the same one each time: %s',
    async (what) => {
      const writing = { idempotencyKey: 'k1' };
      const writes: Record<string, (client: Client) => Promise<unknown>> = {
        token: create('k1'),
        patch: (client) => client.reactors.patch('x', { name: 'n' }, writing),
        put: (client) => client.tenants.update({ name: 'n' }, writing),
        tokenize: (client) => client.tokenize({ a: 1 }, writing),
        regenerate: (client) => client.applications.regenerateKey('a', writing),
        revert: (client) => client.proxies.revert('p', { version: 1 }, writing),
      };
      const { received } = await calling(async (client) => writes[what]?.(client), [throttled]);
      expect(received.map(({ headers }) => headers['svc-idempotency-key'])).toEqual(['k1', 'k1']);
    },
  );

  it.concurrent('maxRetries times, 3 times by default', async () => {
    const forever = Array.from({ length: 9 }, () => throttled);
    expect((await calling(get, forever)).received).toHaveLength(4);
    expect((await calling(get, forever, { maxRetries: 1 })).received).toHaveLength(2);
    expect((await calling(get, forever, { maxRetries: 0 })).received).toHaveLength(1);
    const once = (client: Client) => client.tokens.retrieve('x', { maxRetries: 1 });
    expect((await calling(once, forever, { maxRetries: 5 })).received).toHaveLength(2);
  });

  it.concurrent('the client retries each page of an iteration separately', async () => {
    const page = (after: string | null) => ({ status: 200, body: { data: [{}], pagination: { after } } });
    const { value, received } = await calling(
      async (client) => {
        let count = 0;
        for await (const _ of client.tokens.list()) count += 1;
        return count;
      },
      [throttled, page('c'), dropped, page(null)],
    );
    expect([value, received.length]).toEqual([2, 4]);
  });
});

describe('the client does not retry', () => {
  it.concurrent('a write without an idempotency key, a deletion, and the proxy', async () => {
    for (const call of [
      create(),
      (client: Client) => client.tokens.delete('x'),
      (client: Client) => client.proxy({ url: 'https://example.com' }),
      (client: Client) => client.proxy({ proxyKey: 'key_proxy_x' }),
      (client: Client) => client.proxies.revert('x', { version: 1 }),
    ]) {
      expect((await calling(call, [throttled])).received).toHaveLength(1);
      const lost = await calling(call, [dropped]);
      expect(lost.error).toBeInstanceOf(ConnectionError);
      expect(lost.received).toHaveLength(1);
    }
  });

  it.concurrent.each([400, 401, 403, 404, 409, 422, 500])(
    'the client does not retry a rejection with %i',
    async (status) => {
      const { error, received } = await calling(create('k1'), [{ status, body: { title: 't' } }]);
      expect(error).toMatchObject({ status, title: 't' });
      expect(received).toHaveLength(1);
    },
  );

  it.concurrent('the client does not retry after a Retry-After of minutes', async () => {
    const later = { status: 503, headers: { 'Retry-After': '300' } };
    const { error, received } = await calling(get, [later]);
    expect(error).toMatchObject({ status: 503, retryAfter: 300 });
    expect(received).toHaveLength(1);
  });
});

describe('an idempotency key whose first attempt still runs', () => {
  it.concurrent('is polled until its response is the response of the call', async () => {
    const { value, received } = await calling(create('k1'), [
      dropped,
      ...Array.from({ length: 6 }, () => running),
      { status: 201, body: { id: 'made-by-the-first' } },
    ]);
    expect(value).toEqual({ id: 'made-by-the-first' });
    expect(received).toHaveLength(8);
  });

  it.concurrent('is polled every second, however long its lease still is', async () => {
    const leased = { ...running, headers: { 'Retry-After': '59' } };
    const made = { status: 201, body: { id: 'made-by-the-first' } };
    const { value } = await calling(create('k1'), [leased, made]);
    expect(value).toEqual(made.body);
  });

  it.concurrent('is not polled where retries are off', async () => {
    const { error, received } = await calling(create('k1'), [running], { maxRetries: 0 });
    expect(error).toMatchObject({ status: 409 });
    expect(received).toHaveLength(1);
  });

  it.concurrent('is polled in a browser too, which cannot read Retry-After, after a lost response', async () => {
    const unreadable = { status: 409, body: { title: 'Conflict' } };
    const { value } = await calling(create('k1'), [dropped, unreadable, { status: 201, body: { id: 'a' } }]);
    expect(value).toEqual({ id: 'a' });
  });

  it('is polled no longer than the service lets anything run', () => {
    let now = 0;
    const pauseAfter = retrying(3, true, () => now);
    const details = {
      status: 409,
      title: 't',
      code: undefined,
      type: undefined,
      detail: undefined,
      errors: undefined,
      traceId: undefined,
    };
    const conflict = new ApiError({ ...details, retryAfter: 1 });
    let tries = 0;
    for (let pauseMs = pauseAfter(conflict); pauseMs !== undefined; pauseMs = pauseAfter(conflict)) {
      now += pauseMs;
      tries += 1;
    }
    expect(tries).toBeGreaterThan(20);
    expect(now).toBeLessThanOrEqual(36_000);
  });
});

describe('the end of a call', () => {
  it('comes on its signal: before it, while it waits for a response, and between attempts', async () => {
    const reason = new Error('the user left');
    const ended = AbortSignal.abort(reason);
    const before = await calling((client) => client.tokens.retrieve('x', { signal: ended }));
    expect([before.error, before.received]).toEqual([reason, []]);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    for (const reply of [
      { status: 0, instead: 'hang' } as const,
      { status: 503, headers: { 'Retry-After': '20' } },
    ]) {
      const { error, received } = await calling(
        (client, arrived) => {
          const controller = new AbortController();
          const call = client.tokens.retrieve('x', { signal: controller.signal });
          const isPausing = () => timers.mock.calls.some(([, ms = 0]) => ms >= 20_000 && ms < 25_000);
          void whenever(() => arrived.length > 0 && ('instead' in reply || isPausing())).then(() => {
            controller.abort(reason);
          });
          return call;
        },
        [reply],
      );
      expect(error).toBe(reason);
      expect(received).toHaveLength(1);
    }
  });

  it('an iteration and a write end in the same way', async () => {
    const signal = AbortSignal.abort();
    const iterated = await calling(async (client) => {
      for await (const _ of client.applications.list({}, { signal })) throw new Error('unreachable');
    });
    expect(iterated.error.name).toBe('AbortError');
    const written = await calling((client) =>
      client.applications.regenerateKey('a', { signal, idempotencyKey: 'k' }),
    );
    expect([written.error.name, written.received]).toEqual(['AbortError', []]);
  });

  it('an attempt ends after timeoutMs; the next one has its own timeout', async () => {
    const hanging: Reply = { status: 0, instead: 'hang' };
    const { value, received } = await calling(get, [hanging], { timeoutMs: 300 });
    expect([value, received.length]).toEqual([{}, 2]);
    const once = (client: Client) => client.tokens.retrieve('x', { timeoutMs: 50, maxRetries: 0 });
    const { error } = await calling(once, [hanging]);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toContain('50 ms');
  });

  it('an ended call leaves no listener at its signal', async () => {
    const listening = new Set<unknown>();
    const signal = {
      aborted: false,
      addEventListener: (_type: 'abort', listener: () => void) => void listening.add(listener),
      removeEventListener: (_type: 'abort', listener: () => void) => void listening.delete(listener),
    };
    const options = { signal };
    const { value } = await calling((client) => client.tokens.retrieve('x', options), [throttled, dropped]);
    expect([value, listening.size]).toEqual([{}, 0]);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-10-21T07:28:00Z');

  it.each([
    ['7', 7],
    ['0', 0],
    ['Wed, 21 Oct 2026 07:28:30 GMT', 30],
    ['Wednesday, 21-Oct-26 07:28:30 GMT', 30],
    ['Wed, 21 Oct 2026 07:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['2026-10-21', undefined],
    ['', undefined],
  ])('%s is read as %s seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });

  it('Retry-After as a date is obeyed', async () => {
    const past = { status: 503, headers: { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' } };
    expect((await calling(get, [past])).received).toHaveLength(2);
  });
});

describe('the pauses', () => {
  const lost = new ConnectionError('lost');

  it('double, and are never the same for two clients', () => {
    const pauses = Array.from({ length: 50 }, () => {
      const pauseAfter = retrying(3, false);
      return [pauseAfter(lost), pauseAfter(lost), pauseAfter(lost), pauseAfter(lost)];
    });
    for (const [first = 0, second = 0, third = 0, none] of pauses) {
      expect(first > 0 && first <= 200 && second <= 400 && third >= 400).toBe(true);
      expect(none).toBeUndefined();
    }
    expect(new Set(pauses.map(([first]) => first)).size).toBeGreaterThan(40);
  });
});
