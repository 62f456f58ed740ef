import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { Duplex } from 'node:stream';
import type { AskedRequest, AskedResponse } from './bridge-message.ts';

/** Rejects if nothing can be reached. */
type Ask = (request: AskedRequest) => Promise<AskedResponse>;
type Respond = (response: IncomingMessage) => void;

/** One end of a connection within the process. */
class End extends Duplex {
  #other: End | undefined;
  #waiting: (() => void) | undefined;

  static pair(): readonly [End, End] {
    const a = new End();
    const b = new End();
    a.#other = b;
    b.#other = a;
    return [a, b];
  }

  override _read(): void {
    const go = this.#waiting;
    this.#waiting = undefined;
    go?.();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const other = this.#other;
    if (other === undefined || other.destroyed || other.push(chunk)) done();
    else other.#waiting = done;
  }

  override _final(done: () => void): void {
    this.#other?.push(null);
    done();
  }

  // Clients call these on a socket.
  setTimeout = (): this => this;
  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
}

const refused = (reason: string): Error =>
  Object.assign(new Error(`connect ECONNREFUSED: ${reason}`), { code: 'ECONNREFUSED' });

/** The options of a call of `request`, whose arguments are an address, options and a listener. */
function optionsOf(args: readonly unknown[]): { options: RequestOptions; respond: Respond | undefined } {
  const [first, ...rest] = args;
  const isAddress = typeof first === 'string' || first instanceof URL;
  const url = isAddress ? new URL(first) : undefined;
  const others = [...(isAddress ? [] : [first]), ...rest];
  const options = others.find((each) => typeof each === 'object' && each !== null) ?? {};
  const respond = others.find((each) => typeof each === 'function') as Respond | undefined;
  const ofUrl = url && {
    protocol: url.protocol,
    hostname: url.hostname,
    port: url.port,
    path: url.pathname + url.search,
  };
  return { options: { ...ofUrl, ...(options as RequestOptions) }, respond };
}

/** Connects the clients of this thread to a server in it, which asks the vault. */
function connectorOf(ask: Ask): (origin: string) => End {
  const origins = new WeakMap<object, { readonly origin: string; readonly client: End }>();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    const from = origins.get(request.socket);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = {
        url: `${from?.origin ?? ''}${request.url ?? ''}`,
        method: request.method ?? '',
        headers: request.rawHeaders,
        body: new Uint8Array(Buffer.concat(chunks)),
      };
      ask(asked).then(
        (found) => {
          response.writeHead(found.status, [...found.headers]);
          response.end(found.body);
        },
        (error: unknown) => from?.client.destroy(refused((error as Error).message)),
      );
    });
  });

  return (origin) => {
    const [client, inner] = End.pair();
    inner.on('error', () => undefined);
    origins.set(inner, { origin, client });
    server.emit('connection', inner);
    return client;
  };
}

/**
 * Sends every request of the code to its vault: those of `node:http` and `node:https`, which the
 * SDK, axios, node-fetch and stripe use. No other connection can be made.
 */
export function bridgeHttp(ask: Ask): void {
  const original = http.request;
  const connect = connectorOf(ask);

  const bridged =
    (scheme: 'http' | 'https') =>
    (...args: readonly unknown[]): ClientRequest => {
      const { options, respond } = optionsOf(args);
      const { hostname, host, port } = options;
      const name = hostname ?? host ?? 'localhost';
      const usual = scheme === 'https' ? 443 : 80;
      const number = Number(port ?? usual) || usual;
      const origin = `${scheme}://${name}${number === usual ? '' : `:${String(number)}`}`;
      const { agent: _, ...others } = options;
      return original(
        {
          ...others,
          protocol: 'http:',
          port: number,
          defaultPort: usual,
          createConnection: () => connect(origin),
        } as RequestOptions,
        respond,
      );
    };

  for (const [module, scheme] of [
    [http, 'http'],
    [https, 'https'],
  ] as const) {
    const request = bridged(scheme);
    const get = (...args: readonly unknown[]): ClientRequest => {
      const started = request(...args);
      started.end();
      return started;
    };
    Object.assign(module, { request, get });
  }
  net.Socket.prototype.connect = function connectNowhere(this: net.Socket) {
    this.destroy(refused('a reactor in a test has http and https alone'));
    return this;
  };
  syncBuiltinESMExports();
}
