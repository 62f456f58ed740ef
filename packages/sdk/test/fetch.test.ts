import {
  ConnectionError,
  createClient,
  TimeoutError,
  type ClientOptions,
  type Fetch,
  type FetchRequest,
} from '../src/index.ts';
import { withService } from './a-service.ts';

const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).buffer;

const clientOver = (fetch: Fetch, options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: 'https://tokens.example.com', apiKey: 'key_private_x', ...options, fetch });

/** Responds to every request with this, and collects the requests. */
function aFetch(status = 200, body: unknown = {}, headers: readonly (readonly [string, string])[] = []) {
  const sent: (FetchRequest & { readonly url: string })[] = [];
  const fetch: Fetch = (url, request) => {
    sent.push({ url, ...request });
    return Promise.resolve({ status, headers, arrayBuffer: () => Promise.resolve(jsonBytes(body)) });
  };
  return { fetch, sent };
}

describe('the option fetch', () => {
  it('sends a call in place of the platform’s own client', async () => {
    const { fetch, sent } = aFetch(201, { id: 'a' });
    await expect(clientOver(fetch).tokens.create({ type: 'token', data: 'ü' })).resolves.toEqual({ id: 'a' });
    expect(sent).toEqual([
      {
        url: 'https://tokens.example.com/tokens',
        method: 'POST',
        headers: {
          'SVC-API-KEY': 'key_private_x',
          Accept: 'application/json',
          'Content-Type': 'application/json',
        },
        body: '{"type":"token","data":"ü"}',
        signal: expect.any(AbortSignal),
        redirect: 'manual',
        credentials: 'omit',
      },
    ]);
  });

  it('sends proxied requests, a GET with a body too, and returns each cookie', async () => {
    const { fetch, sent } = aFetch(200, { paid: true }, [
      ['SVC-Proxy-Destination-Status', '202'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
    const body = new Uint8Array([1, 2]);
    const response = await clientOver(fetch).proxy({ url: 'https://api.example.com', method: 'GET', body });
    expect([response.status, response.json(), response.setCookies]).toEqual([
      202,
      { paid: true },
      ['a=1', 'b=2'],
    ]);
    expect(sent).toMatchObject([{ method: 'GET', body }]);
  });

  it('may be the platform’s fetch', async () => {
    await withService([{ status: 200, body: { id: 'x' } }], async (baseUrl, received) => {
      await expect(clientOver(fetch, { baseUrl }).tokens.retrieve('x')).resolves.toEqual({ id: 'x' });
      expect(received).toHaveLength(1);
    });
  });

  it('gets the retries of the client, and a rejection is a ConnectionError without its message', async () => {
    const refused = Object.assign(new Error('connect to key_private_x'), { code: 'ECONNREFUSED' });
    const fetch = jest.fn<ReturnType<Fetch>, Parameters<Fetch>>().mockRejectedValue(refused);
    const failure: unknown = await clientOver(fetch, { maxRetries: 1 })
      .tokens.retrieve('x')
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect((failure as Error).message).not.toContain('key_private_x');
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it('is aborted at the timeout and by the caller', async () => {
    const hanging: Fetch = async (_url, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const { tokens } = clientOver(hanging, { maxRetries: 0 });
    await expect(tokens.retrieve('x', { timeoutMs: 10 })).rejects.toThrow(TimeoutError);
    const signal = AbortSignal.timeout(10);
    await expect(tokens.retrieve('x', { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('must be a function', () => {
    expect(() => clientOver('fetch' as unknown as Fetch)).toThrow(TypeError);
  });
});
