import { ApiError, createClient, type Client } from '../src/index.ts';
import { withService, type Reply } from './a-service.ts';

const calling = async <T>(call: (client: Client) => Promise<T>, replies: readonly Reply[]) =>
  withService(replies, async (baseUrl, received) => ({
    value: await call(createClient({ baseUrl, apiKey: 'k', maxRetries: 0 })),
    received,
  }));

const headers = { 'SVC-Trace-Id': 't1' };

describe('withResponse', () => {
  it('returns the data with the status and the headers, of one request', async () => {
    const { value, received } = await calling(
      async (client) => {
        const call = client.tokens.create({ type: 'token', data: 1 });
        return [await call.withResponse(), await call.withResponse(), await call] as const;
      },
      [{ status: 201, headers, body: { id: 'x' } }],
    );
    const [first, again, data] = value;
    expect(first).toEqual({
      data: { id: 'x' },
      response: { status: 201, headers: expect.objectContaining({ 'svc-trace-id': 't1' }) },
    });
    expect([again, data]).toEqual([first, { id: 'x' }]);
    expect(received).toHaveLength(1);
  });

  it('returns a response without a body', async () => {
    const { value } = await calling(
      (client) => client.tokens.delete('x').withResponse(),
      [{ status: 204, headers }],
    );
    expect(value).toMatchObject({ data: undefined, response: { status: 204 } });
  });

  it('returns the first page of a list, which sends no request before', async () => {
    const page = { data: [{ id: 'a' }], pagination: { page_size: 1, after: 'c' } };
    const { value, received } = await calling(
      async (client) => {
        const list = client.tokens.list({ size: 1 });
        return [await list.withResponse(), await list] as const;
      },
      [{ status: 200, headers, body: page }],
    );
    expect(value).toMatchObject([{ data: page, response: { status: 200 } }, page]);
    expect(received).toHaveLength(1);
  });

  it('rejects as the call does, and leaves no rejection unhandled', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    try {
      const problem = { status: 404, body: { title: 'Not found' } };
      const { value } = await calling(
        async (client) => {
          const single = await client.tokens
            .retrieve('x')
            .withResponse()
            .catch((error: unknown) => error);
          const list = await client.tokens
            .list()
            .withResponse()
            .catch((error: unknown) => error);
          await new Promise(setImmediate);
          return [single, list];
        },
        [problem, problem],
      );
      expect(value).toEqual([expect.any(ApiError), expect.any(ApiError)]);
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  it('a call that it did not change is a promise', () => {
    const call = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' }).tokens.retrieve('..');
    expect(call).toBeInstanceOf(Promise);
    return expect(call).rejects.toThrow(TypeError);
  });
});
