import { Agent, request, type IncomingMessage } from 'node:http';

const PREFIX = '/2018-06-01/runtime';

export interface Invocation {
  readonly id: string;
  /** The unchanged Invoke payload. */
  readonly payload: string;
}

/**
 * The Lambda Runtime API (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html). Every
 * failure of it ends the process: there is nothing else to ask.
 */
export interface RuntimeApi {
  next(): Promise<Invocation>;
  respond(id: string, body: string): Promise<void>;
  /** The service did not send this event, or the loop has a fault. */
  fail(id: string, type: string, message: string): Promise<void>;
  failInit(type: string, message: string): Promise<void>;
}

interface Response {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** `endpoint` is `host:port`. It reuses one connection, so an invocation needs no handshake. */
export function connectRuntimeApi(endpoint: string): RuntimeApi {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const colon = endpoint.lastIndexOf(':');
  const host = endpoint.slice(0, colon);
  const port = endpoint.slice(colon + 1);

  const call = (method: string, path: string, body?: string, type?: string): Promise<Response> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        ...(type === undefined ? {} : { 'Lambda-Runtime-Function-Error-Type': type }),
      };
      const outgoing = request({ agent, host, port, method, path: PREFIX + path, headers }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString(),
          }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  const report = async (path: string, errorType: string, errorMessage: string) => {
    await call('POST', path, JSON.stringify({ errorType, errorMessage, stackTrace: [] }), errorType);
  };

  return {
    next: async () => {
      const { status, headers, body } = await call('GET', '/invocation/next');
      const id = headers['lambda-runtime-aws-request-id'];
      if (status !== 200 || typeof id !== 'string') throw new Error(`next answered ${String(status)}`);
      return { id, payload: body };
    },
    respond: async (id, body) => {
      const { status } = await call('POST', `/invocation/${id}/response`, body);
      // Lambda took back the invocation or rejects the response; either way it has informed its
      // caller.
      if (status >= 500) throw new Error(`response answered ${String(status)}`);
    },
    fail: (id, type, message) => report(`/invocation/${id}/error`, type, message),
    failInit: (type, message) => report('/init/error', type, message),
  };
}
