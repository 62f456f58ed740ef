import { createClient, verifyWebhook, type Client } from '../src/index.ts';
import { createClient as createLenientClient } from '../../../reactor-runtime/lenient/sdk.ts';
import { OPERATIONS } from './operations.ts';

type Method = (...args: unknown[]) => PromiseLike<unknown>;

const UNKNOWN = { transfrom: 'a secret' };
const baseUrl = 'http://localhost';
const fetch = () => Promise.resolve(new Response('{}'));

/** The client, of which every method calls `each` with itself and its arguments. */
const watched = <T extends object>(target: T, each: (method: Method, args: unknown[]) => unknown): T =>
  new Proxy(target, {
    get: (from, name) => watched(Reflect.get(from, name) as object, each),
    apply: (method, _self, args) => each(method as unknown as Method, args),
  });

const METHODS: typeof OPERATIONS = [
  ...OPERATIONS,
  ['reactAsync', (c) => c.reactors.reactAsync('a', { async: true })],
];

describe('an unknown option', () => {
  describe.each([createClient, createLenientClient])('of a client (%#)', (create) => {
    it.each(METHODS)('is a TypeError, and nothing is sent: %s', async (_operation, call) => {
      let sent = 0;
      const counting = () => ((sent += 1), fetch());
      const client = create({ baseUrl, apiKey: 'k', fetch: counting });
      const refusals: unknown[] = [];
      const attempt = async (method: Method, args: readonly unknown[]) => {
        const before = sent;
        const error: unknown = await (async () => method(...args))().catch((e: unknown) => e);
        if (error instanceof TypeError && /^transfrom is not known/.test(error.message))
          refusals.push(error.message.includes('secret') || sent > before ? error : 'refused');
      };
      // The options are the last argument, after one that may be absent, or the only one.
      const all = async (method: Method, args: unknown[]) => {
        await attempt(method, [...args, UNKNOWN]);
        await attempt(method, [...args, undefined, UNKNOWN]);
        await attempt(method, [{ ...(args[0] as object), ...UNKNOWN }]);
      };
      await call(watched(client, all));
      expect(new Set(refusals)).toEqual(new Set(['refused']));
    });

    it('is a TypeError that names the known ones', async () => {
      expect(() => create({ baseUrl, apiKey: 'k', retries: 3 } as object)).toThrow(
        'retries is not known in the options: known are baseUrl, apiKey, headerPrefix, maxRetries, timeoutMs, fetch, onAttempt',
      );
      const client = create({ baseUrl, apiKey: 'k', fetch });
      await expect(
        client.tokens.create({ type: 'token', data: 1 }, { idempotency_key: 'k' } as object),
      ).rejects.toThrow(
        'idempotency_key is not known in the options: known are signal, timeoutMs, traceId, maxRetries, transform, idempotencyKey',
      );
      await expect(client.proxy({ proxyKey: 'k', data: 1 } as never)).rejects.toThrow(
        'data is not known in the request: known are url, proxyKey, method, path, query, headers, body,',
      );
    });
  });

  it('is also a part of a request, which the method itself sets', async () => {
    const client = createClient({ baseUrl, apiKey: 'k', fetch });
    for (const name of ['isSafe', 'query', 'contentType', 'body'])
      await expect(client.tokens.delete('a', { [name]: true })).rejects.toThrow(`${name} is not known`);
  });

  it('is also one that a call has no use for', async () => {
    const client = createClient({ baseUrl, apiKey: 'k', fetch }) as unknown as Record<
      'tokens' | 'sessions',
      any
    >;
    const reads = [
      client.tokens.retrieve('a', { idempotencyKey: 'k' }),
      client.tokens.search({}, { idempotencyKey: 'k' }),
    ];
    for (const read of reads)
      await expect(read).rejects.toThrow('idempotencyKey is not known in the options');
    await expect(client.tokens.delete('a', { transform: 'mask' })).rejects.toThrow('transform is not known');
    const writes = [
      client.tokens.delete('a', { idempotencyKey: 'k' }),
      client.sessions.create({ idempotencyKey: 'k' }),
    ];
    for (const write of writes) await expect(write).rejects.toThrow('idempotencyKey is not known');
  });

  it('is known or not, if it is undefined', async () => {
    const client = createClient({ baseUrl, apiKey: 'k', fetch }) as unknown as Record<'tokens', any>;
    await expect(client.tokens.list({ id: [] }, { idempotencyKey: undefined })).resolves.toBeDefined();
  });

  it.each(['a', {}, null, { aborted: false }, { aborted: false, addEventListener: () => {} }])(
    'is a signal that is %j',
    async (signal) => {
      const client = createClient({ baseUrl, apiKey: 'k', fetch });
      const options = { signal } as never;
      for (const call of [
        client.tokens.retrieve('a', options),
        client.proxy({ proxyKey: 'k', signal } as never),
      ])
        await expect(call).rejects.toThrow(new TypeError('signal must be an AbortSignal'));
    },
  );

  it('is checked although no item can match and nothing is sent', async () => {
    const { tokens } = createClient({ baseUrl, apiKey: 'k', fetch });
    await expect(tokens.list({ id: [] }, { timeoutMs: -1 })).rejects.toThrow('timeoutMs must be');
    await expect(tokens.list({ id: [] }, { maxRetries: 0.5 })).rejects.toThrow('maxRetries must be');
    await expect(tokens.list({ id: [] }, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(() => createClient({ baseUrl, apiKey: null } as never)).toThrow('apiKey');
  });

  it('is a second argument of the proxy too', async () => {
    const proxy = createClient({ baseUrl, apiKey: 'k', fetch }).proxy as (
      ...args: unknown[]
    ) => Promise<unknown>;
    await expect(proxy({ proxyKey: 'k' }, { timeoutMs: 1 })).rejects.toThrow('takes one argument');
    await expect(proxy({ proxyKey: 'k', url: 'https://a.example' })).rejects.toThrow(
      'either url or proxyKey',
    );
  });

  it('is also one of a webhook', async () => {
    await expect(verifyWebhook({ body: '', headers: {}, secret: '', tolerance: 1 } as never)).rejects.toThrow(
      'tolerance is not known in the webhook: known are body, headers, secret, toleranceSeconds',
    );
  });
});

describe('an absent argument', () => {
  const client = createClient({ baseUrl, apiKey: 'k', fetch });
  const untyped = client as unknown as Record<'tokens' | 'reactors' | 'proxy' | 'tokenize', any>;

  it.each<[string, () => Promise<unknown>]>([
    ['the webhook must be an object', verifyWebhook as unknown as () => Promise<unknown>],
    ['the request must be an object', () => untyped.proxy()],
    ['PATCH /tokens/{id} needs a body, which is undefined', () => untyped.tokens.update('a')],
    ['reactAsync: callback_url or async: true is required', () => untyped.reactors.reactAsync('a')],
    ['POST /tokenize needs a body, which is undefined', () => untyped.tokenize()],
  ])('is a TypeError: %s', async (message, call) => {
    await expect(Promise.resolve().then(call)).rejects.toEqual(new TypeError(message));
  });

  it('is no error where the argument is optional', async () => {
    const other = client as Client & { readonly tokens: { retrieve(id: string, options: null): unknown } };
    await expect(other.tokens.retrieve('a', null)).resolves.toEqual({});
  });
});
