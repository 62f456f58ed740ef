import {
  createClient,
  type AttemptEvent,
  type Client,
  type ClientOptions,
  type OnAttempt,
} from '../src/index.ts';
import { cases, fc } from '../../test-kit/src/properties.ts';
import { withService, type Reply } from './a-service.ts';
import { OPERATIONS } from './operations.ts';

/** The events of a call, whether it fails or not. */
async function eventsOf(
  call: (client: Client) => PromiseLike<unknown>,
  replies: readonly Reply[] = [],
  options: ClientOptions = {},
): Promise<readonly AttemptEvent[]> {
  const events: AttemptEvent[] = [];
  await withService(replies, async (baseUrl) => {
    const onAttempt: OnAttempt = (event) => events.push(event);
    const client = createClient({ baseUrl, apiKey: 'key_private_x', onAttempt, ...options });
    await call(client).then(undefined, () => undefined);
  });
  return events;
}

const get = (client: Client) => client.tokens.retrieve('x');

const SUCCESS: AttemptEvent = {
  route: 'GET /tokens/{id}',
  attempt: 1,
  durationMs: expect.any(Number),
  status: 200,
  error: undefined,
  code: undefined,
  retryInMs: undefined,
  traceId: undefined,
};

const TRACE_ID = '0d1e2f3a-4b5c-4d6e-8f70-112233445566';

describe('onAttempt', () => {
  it.each(OPERATIONS)('is called once for %s, with the route', async (route, call) => {
    const answered = { status: 200, body: {}, headers: { 'SVC-PROXY-DESTINATION-STATUS': '200' } };
    expect(await eventsOf(call, [answered])).toEqual([{ ...SUCCESS, route }]);
  });

  it('is called for each attempt, with the wait before the next one', async () => {
    const unavailable = { status: 503, headers: { 'Retry-After': '0', 'SVC-Trace-Id': TRACE_ID } };
    const events = await eventsOf(get, [
      { ...unavailable, body: { title: 't', code: 'service_unavailable' } },
      { status: 0, instead: 'drop' },
    ]);
    expect(events).toEqual([
      {
        ...SUCCESS,
        status: 503,
        error: 'ApiError',
        code: 'service_unavailable',
        retryInMs: expect.any(Number),
        traceId: TRACE_ID,
      },
      {
        ...SUCCESS,
        attempt: 2,
        status: undefined,
        error: 'ConnectionError',
        code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/),
        retryInMs: expect.any(Number),
      },
      { ...SUCCESS, attempt: 3 },
    ]);
  });

  it.each(['card 4242424242424242', '4242424242424242-4242-4242-4242-4242', `${TRACE_ID} x`])(
    'shows no trace id that the service does not generate: %s',
    async (text) => {
      const [event] = await eventsOf(get, [{ status: 200, body: {}, headers: { 'SVC-Trace-Id': text } }]);
      expect(event?.traceId).toBeUndefined();
    },
  );

  it('has no wait after the last attempt', async () => {
    const failed = { status: 503, headers: { 'Retry-After': '0' } };
    const events = await eventsOf(get, [failed, failed], { maxRetries: 1 });
    expect(events.map(({ retryInMs }) => retryInMs !== undefined)).toEqual([true, false]);
  });

  it('is called for an attempt that ends by its timeout or by the caller', async () => {
    const hanging: Reply = { status: 0, instead: 'hang' };
    const late = await eventsOf(get, [hanging], { timeoutMs: 20, maxRetries: 0 });
    expect(late).toMatchObject([{ status: undefined, error: 'TimeoutError' }]);
    expect(late[0]?.durationMs).toBeGreaterThanOrEqual(19);
    const signal = AbortSignal.timeout(20);
    const aborted = await eventsOf((client) => client.tokens.retrieve('x', { signal }), [hanging]);
    expect(aborted).toMatchObject([{ status: undefined, error: 'AbortError', retryInMs: undefined }]);
  });

  it('is not called for a call that sends nothing', async () => {
    expect(await eventsOf((client) => client.tokens.retrieve('..'))).toEqual([]);
    const signal = AbortSignal.abort();
    expect(await eventsOf((client) => client.tokens.retrieve('x', { signal }))).toEqual([]);
  });

  it('shows the status of a destination as a success, and a failure of the proxy as an error', async () => {
    const call = (client: Client) => client.proxy({ url: 'https://api.example.com' });
    const declined = { status: 402, headers: { 'SVC-PROXY-DESTINATION-STATUS': '402' } };
    const rejected = { status: 400, body: { proxy_error: { title: 't', code: 'bad_request' } } };
    expect(await eventsOf(call, [declined])).toMatchObject([{ status: 402, error: undefined }]);
    expect(await eventsOf(call, [rejected])).toMatchObject([
      { status: 400, error: 'ApiError', code: 'bad_request' },
    ]);
  });

  it('has no value, id, key, query or destination, whatever the calls and the responses contain', async () => {
    const MARK = 'S3cret';
    const secret = fc.stringMatching(/^[a-zA-Z0-9 _-]{0,20}$/).map((text) => `${text}${MARK}x`);
    const failures = fc.constantFrom(200, 400, 404, 409, 500);
    await fc.assert(
      fc.asyncProperty(secret, failures, fc.boolean(), async (text, status, isDestination) => {
        const calls: readonly ((client: Client) => PromiseLike<unknown>)[] = [
          (c) => c.tokens.create({ type: 'token', data: text, id: text }, { idempotencyKey: text.trim() }),
          (c) => c.tokens.list({ id: text, metadata: { [text]: text } }),
          (c) => c.tokens.search({ query: text }),
          (c) => c.applications.keys.retrieve(text, text),
          (c) => c.reactors.retrieveResult(text, text),
          (c) =>
            c.proxy({
              url: `https://${MARK}.example.com`,
              path: text,
              query: { [text]: text },
              headers: { 'X-Value': text },
              method: 'POST',
              body: text,
            }),
          (c) => c.proxy({ proxyKey: text.trim(), path: `a/${text}` }),
        ];
        const reply = {
          status,
          body: { title: text, detail: text, code: text, errors: { [text]: [text] }, id: text },
          headers: {
            'X-Value': text.trim(),
            ...(isDestination && { 'SVC-PROXY-DESTINATION-STATUS': String(status) }),
          },
        };
        for (const call of calls) {
          const events = await eventsOf(call, [reply], { apiKey: `key_${MARK}`, maxRetries: 0 });
          expect(events).toHaveLength(1);
          expect(JSON.stringify(events)).not.toContain(MARK);
          expect(Object.keys(events[0] ?? {}).sort()).toEqual(Object.keys(SUCCESS).sort());
        }
      }),
      { numRuns: cases(10) },
    );
  });
});

describe('a failure of onAttempt', () => {
  it.each([
    [
      'an exception',
      () => {
        throw new Error('no metrics');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('no metrics'))],
  ])('that is %s does not reach the call, and is printed once', async (_name, onAttempt: OnAttempt) => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      await withService([], async (baseUrl) => {
        const client = createClient({ baseUrl, apiKey: 'k', onAttempt });
        await expect(client.tokens.retrieve('x')).resolves.toEqual({});
        await expect(client.tokens.retrieve('x')).resolves.toEqual({});
      });
      expect(printed.mock.calls).toEqual([
        ['onAttempt of the Cloakroom client failed:', expect.objectContaining({ message: 'no metrics' })],
      ]);
    } finally {
      printed.mockRestore();
    }
  });

  it('is not possible with an option that is no function', () => {
    const onAttempt = 'console.log' as unknown as OnAttempt;
    expect(() => createClient({ baseUrl: 'https://tokens.example.com', apiKey: 'k', onAttempt })).toThrow(
      TypeError,
    );
  });
});
