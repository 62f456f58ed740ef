import type {
  EgressClient,
  InboundResponse,
  OutboundRequest,
} from '../../../src/core/egress/egress-client.ts';
import { parseDestination, type EgressAllowList } from '../../../src/core/egress/destination.ts';
import { withTimeout, type Platform } from '../../../src/core/shared/platform.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import type { Destination, DestinationHandler } from './vault.ts';
import type { RunningWork } from './running-work.ts';
import { bytesOfBody } from '../../../src/core/shared/utf8.ts';

/** A request that leaves the vault. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

interface Registered {
  readonly prefix: URL;
  readonly handler: DestinationHandler;
  readonly requests: Request[];
  readonly errors: unknown[];
}

/** The destinations at one moment, and what each had received by then. */
export type RegisteredDestinations = readonly {
  readonly entry: Registered;
  readonly requests: readonly Request[];
  readonly errors: readonly unknown[];
}[];

const withSlash = (path: string): string => path.replace(/\/?$/, '/');
const isBelow = ({ origin, pathname }: URL, prefix: URL): boolean =>
  origin === prefix.origin && withSlash(pathname).startsWith(withSlash(prefix.pathname));

/** Methods that send their length even without a body (src/adapters/egress). */
const WITH_LENGTH: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function requestOf({ url, method, headers, body }: SentRequest): Request {
  const hasBody = body.length > 0 && !WITHOUT_BODY.has(method);
  return new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(hasBody && { body: new Uint8Array(body) }),
  });
}

/** A handler's result is checked, since a test may be JavaScript. */
function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers, arrayBuffer, bodyUsed } = value as Partial<Response>;
  return (
    typeof status === 'number' &&
    headers instanceof Headers &&
    typeof arrayBuffer === 'function' &&
    bodyUsed === false
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * A response as far as it is read: over `maxBytes` it ends with the first byte beyond, since a
 * stream of a test may never end.
 */
async function bodyOf({ body }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Its type in Node has no elements.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

/** The response that a destination sends. */
export interface DestinationAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

const unreachable = (detail: string): ServiceError => new ServiceError('destination_unreachable', detail);
const UNREACHABLE = 'The destination cannot be reached.';

/** The internet of a vault: what its destinations are, and what they received. */
export class Destinations {
  readonly #allowList: EgressAllowList;
  readonly #warn: (error: unknown) => void;
  #registered: readonly Registered[] = [];

  readonly #work: RunningWork;

  /** `warn` gets what a handler has thrown. */
  constructor(allowList: EgressAllowList, work: RunningWork, warn: (error: unknown) => void) {
    this.#work = work;
    this.#allowList = allowList;
    this.#warn = warn;
  }

  /** Throws `TypeError` for an address that the service would never call. */
  add(input: unknown, handler: DestinationHandler): Destination {
    const address = String(input);
    const parsed = parseDestination(address, { allowList: this.#allowList });
    if (typeof parsed === 'string') throw new TypeError(`${address} ${parsed}`);
    if (parsed.url.search !== '' || address.includes('#'))
      throw new TypeError(`${address} must have no query and no fragment`);
    if (typeof handler !== 'function') throw new TypeError('a destination needs a function that answers');
    const entry: Registered = { prefix: parsed.url, handler, requests: [], errors: [] };
    // The newest first, so that a test can replace a destination.
    this.#registered = [entry, ...this.#registered];
    return entry;
  }

  get registered(): RegisteredDestinations {
    return this.#registered.map((entry) => ({
      entry,
      requests: [...entry.requests],
      errors: [...entry.errors],
    }));
  }

  replaceRegistered(registered: RegisteredDestinations): void {
    this.#registered = registered.map(({ entry }) => entry);
    for (const { entry, requests, errors } of registered) {
      entry.requests.splice(0, Infinity, ...requests);
      entry.errors.splice(0, Infinity, ...errors);
    }
  }

  clear(): void {
    this.#registered = [];
  }

  /**
   * Asks the destination of an address. Rejects with `destination_unreachable` if there is none, or
   * if it has no answer.
   */
  async ask(sent: SentRequest, maxBytes: number): Promise<DestinationAnswer> {
    const url = new URL(sent.url);
    const found = this.#registered
      .filter(({ prefix }) => isBelow(url, prefix))
      .toSorted((a, b) => b.prefix.pathname.length - a.prefix.pathname.length)[0];
    if (found === undefined)
      throw unreachable(`${UNREACHABLE} The vault has none at ${url.origin}${url.pathname}.`);
    try {
      const request = requestOf(sent);
      found.requests.push(request.clone());
      return await this.#work.during(answerOf(found.handler, request, maxBytes));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      found.errors.push(error);
      this.#warn(error);
      throw unreachable(`${UNREACHABLE} The handler of ${found.prefix.href} failed: ${messageOf(error)}`);
    }
  }
}

async function answerOf(
  handler: DestinationHandler,
  request: Request,
  maxBytes: number,
): Promise<DestinationAnswer> {
  const response: unknown = await handler(request);
  if (response instanceof Response && response.type === 'error') throw unreachable(UNREACHABLE);
  if (!isResponse(response)) throw new TypeError('it returned no Response, or one that was read');
  const { status } = response;
  return { status, headers: fieldsOf(response.headers), body: await bodyOf(response, maxBytes) };
}

/** Lists the header fields of a response, each cookie by itself. */
function fieldsOf(headers: Headers): DestinationAnswer['headers'] {
  const cookies = headers.getSetCookie();
  const others = [...headers].filter(([name]) => name !== 'set-cookie');
  return [...others, ...cookies.map((cookie) => ['set-cookie', cookie] as const)];
}

async function answer(
  destinations: Destinations,
  { destination, method, target, headers, body, bodyMaxBytes }: OutboundRequest,
  onSent: (sent: SentRequest) => void,
): Promise<InboundResponse> {
  const content = bytesOfBody(body.reveal());
  const hasLength = content.length > 0 || WITH_LENGTH.has(method);
  const sent: SentRequest = {
    url: new URL(target.reveal(), destination.url).href,
    method,
    headers: [
      ['Host', destination.url.host],
      ...headers.reveal(),
      ...(hasLength ? [['Content-Length', String(content.length)] as const] : []),
    ],
    body: content,
  };
  const isRead = bodyMaxBytes !== 'unread';
  const received = await destinations.ask(sent, isRead ? bodyMaxBytes : 0);
  onSent(sent);
  if (isRead && received.body.length > bodyMaxBytes)
    throw unreachable(`The response of the destination is larger than ${String(bodyMaxBytes)} bytes.`);
  if (received.status < 200) throw unreachable('The destination returned an invalid status.');
  return isRead ? received : { ...received, body: Buffer.alloc(0) };
}

/** Makes the way of the proxy and of webhooks to the destinations. */
export const createMemoryEgress = (
  destinations: Destinations,
  platform: Pick<Platform, 'startTimer'>,
  onSent: (sent: SentRequest) => void,
): EgressClient => ({
  send: (outbound) =>
    withTimeout(platform, outbound.timeoutMs, (signal) => {
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () =>
          reject(new ServiceError('destination_timeout', 'The destination did not respond in time.')),
        );
      });
      return Promise.race([answer(destinations, outbound, onSent), late]);
    }),
});
