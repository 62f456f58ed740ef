import type { AskedRequest, AskedResponse } from './bridge-message.ts';

/** Rejects if nothing can be reached. */
type Ask = (request: AskedRequest) => Promise<AskedResponse>;

/** The Fetch Standard follows so many redirects. */
const REDIRECTS_MAX = 20;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Statuses whose responses have no body. */
const WITHOUT_BODY: readonly number[] = [101, 204, 205, 304];

const failed = (cause: unknown) => new TypeError('fetch failed', { cause });

/** Names and values alternate. */
function headersOf(pairs: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < pairs.length; at += 2) headers.append(pairs[at] ?? '', pairs[at + 1] ?? '');
  return headers;
}

async function sent(ask: Ask, request: Request): Promise<Response> {
  const asked = {
    url: request.url,
    method: request.method,
    headers: [...request.headers].flat(),
    body: new Uint8Array(await request.arrayBuffer()),
  };
  request.signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(request.signal.reason as Error);
  request.signal.addEventListener('abort', abort);
  try {
    const { status, headers, body } = await Promise.race([ask(asked), aborted.promise]);
    const content = WITHOUT_BODY.includes(status) ? null : new Uint8Array(body);
    return new Response(content, { status, headers: headersOf(headers) });
  } catch (error) {
    throw request.signal.aborted ? error : failed(error);
  } finally {
    request.signal.removeEventListener('abort', abort);
  }
}

/** The request to which a redirect leads (Fetch Standard, HTTP-redirect fetch). */
function redirected(before: Request, { status }: Response, location: URL): Request {
  const { method, signal, redirect } = before;
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  const headers = new Headers(before.headers);
  if (becomesGet) for (const name of ['content-type', 'content-length']) headers.delete(name);
  if (location.origin !== new URL(before.url).origin) headers.delete('authorization');
  const hasBody = !becomesGet && before.body !== null;
  return new Request(location, {
    method: becomesGet ? 'GET' : method,
    headers,
    signal,
    redirect,
    ...(hasBody && { body: before.body, duplex: 'half' }),
  });
}

/** Sends every request of `fetch` to the vault of the code. */
export function bridgeFetch(ask: Ask): void {
  globalThis.fetch = async (input, init) => {
    let request = new Request(input, init);
    for (let followed = 0; followed <= REDIRECTS_MAX; followed += 1) {
      const again = request.clone();
      const response = await sent(ask, request);
      const location = response.headers.get('location');
      if (location === null || !REDIRECTS.includes(response.status)) return response;
      if (request.redirect === 'manual') return response;
      if (request.redirect === 'error') throw failed(new Error('unexpected redirect'));
      request = redirected(again, response, new URL(location, request.url));
    }
    throw failed(new Error('redirect count exceeded'));
  };
}
