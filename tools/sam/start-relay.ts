import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export interface RelayOptions {
  /** The local AWS endpoint, which accepts connections and host names of the loopback only. */
  readonly awsEndpointUrl: string;
  /** The address of this machine to listen on. */
  readonly listenOn: string;
  /** The only callers: every call must carry one of these. */
  readonly sessionTokens: ReadonlySet<string>;
}

/**
 * Forwards calls of containers, which have their own loopback, to the local AWS endpoint. Other
 * programs may reach its address too, so it requires a session token. Resolves to its port.
 */
export async function startRelay({ awsEndpointUrl, listenOn, sessionTokens }: RelayOptions): Promise<number> {
  const endpoint = new URL(awsEndpointUrl);

  function refuse(response: ServerResponse): void {
    response
      .writeHead(403, { 'content-type': 'text/plain' })
      .end('Only functions of the template may call.\n');
  }

  /**
   * The target of a call. `undefined` below /_local/, which controls the local account.
   */
  function targetOf({ url = '' }: IncomingMessage): URL | undefined {
    const target = url.startsWith('/') ? URL.parse(`${endpoint.origin}${url}`) : null;
    return target === null || target.pathname.startsWith('/_local') ? undefined : target;
  }

  function relay(incoming: IncomingMessage, response: ServerResponse): void {
    const token = incoming.headers['x-amz-security-token'];
    const target = targetOf(incoming);
    if (typeof token !== 'string' || !sessionTokens.has(token) || target === undefined) {
      refuse(response);
      return;
    }
    const { method, headers } = incoming;
    const outgoing = request(target, {
      ...(method !== undefined && { method }),
      headers: { ...headers, host: endpoint.host, 'x-forwarded-host': headers.host ?? '' },
    });
    outgoing.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      pipeline(reply, response, () => undefined);
    });
    // A cut connection is cut for the caller too, since the endpoint's faults intend it.
    outgoing.on('error', () => response.destroy());
    pipeline(incoming, outgoing, () => undefined);
  }

  const server = createServer(relay);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, listenOn, resolve);
  });
  return (server.address() as AddressInfo).port;
}
