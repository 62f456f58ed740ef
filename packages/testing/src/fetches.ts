import type { Fetch } from '../../sdk/src/index.ts';
import { decoded } from '../../sdk/src/node-transport.ts';
import type { GatewayAnswer } from './gateway.ts';
import type { MemoryService } from './memory-service.ts';
import type { Vault } from './vault.ts';

/** The body as `fetch` gives it, which decodes what a destination has encoded. */
async function decodedBody({ headers, body }: GatewayAnswer): Promise<Uint8Array<ArrayBuffer>> {
  const [, coding] = headers.find(([name]) => name === 'content-encoding') ?? [];
  return new Uint8Array(await decoded(body, coding));
}

async function responseOf(answer: GatewayAnswer): Promise<Response> {
  const { status, headers } = answer;
  const hasBody = ![204, 205, 304].includes(status);
  const response = new Response(hasBody ? await decodedBody(answer) : null, { status });
  for (const [name, value] of headers) response.headers.append(name, value);
  return response;
}

/** As the platform's `fetch`, a call that is aborted goes on in the service. */
async function untilAborted<T>(signal: AbortSignal, call: Promise<T>): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort);
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([call, aborted]);
  } finally {
    stop?.();
  }
}

/** Takes what the platform's `fetch` takes. */
export const vaultFetch =
  (current: () => MemoryService, baseUrl: string): Vault['fetch'] =>
  async (input, init) => {
    const request =
      input instanceof Request ? new Request(input, init) : new Request(new URL(input, baseUrl), init);
    const url = new URL(request.url);
    if (url.origin !== baseUrl)
      throw new TypeError(`fetch failed: ${url.origin} is not the vault, ${baseUrl}`);
    request.signal.throwIfAborted();
    const { method, headers, signal } = request;
    const body = Buffer.from(await request.arrayBuffer());
    return responseOf(
      await untilAborted(signal, current().request({ method, url, headers: [...headers], body })),
    );
  };

/** Makes no Request and no Response, which take longer than the rest of a call. */
export const clientFetch =
  (current: () => MemoryService): Fetch =>
  async (address, { method, headers, body = '', signal }) => {
    const call = current().request({
      method,
      url: new URL(address),
      headers: Object.entries(headers),
      body: Buffer.from(body as Uint8Array),
    });
    const answer = await untilAborted(signal, call);
    return {
      status: answer.status,
      headers: answer.headers,
      arrayBuffer: async () => (await decodedBody(answer)).buffer,
    };
  };
