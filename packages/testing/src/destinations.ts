import type {
  EgressClient,
  InboundResponse,
  OutboundRequest,
} from '../../../src/core/egress/egress-client.ts';
import { parseDestination, type EgressAllowList } from '../../../src/core/egress/destination.ts';
import { withTimeout, type Platform } from '../../../src/core/shared/platform.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import type { Destination, DestinationHandler } from './vault.ts';

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
}

const isBelow = ({ origin, pathname }: URL, prefix: URL): boolean =>
  origin === prefix.origin &&
  (prefix.pathname === '/' ||
    pathname === prefix.pathname ||
    pathname.startsWith(prefix.pathname.replace(/\/?$/, '/')));

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

const unreachable = (detail: string): ServiceError => new ServiceError('destination_unreachable', detail);

/** The internet of a vault: what its destinations are, and what they received. */
export class Destinations {
  readonly #allowList: EgressAllowList;
  #registered: readonly Registered[] = [];

  constructor(allowList: EgressAllowList) {
    this.#allowList = allowList;
  }

  /** Throws `TypeError` for an address that the service would never call. */
  add(address: string, handler: DestinationHandler): Destination {
    const parsed = parseDestination(address, { allowList: this.#allowList });
    if (typeof parsed === 'string') throw new TypeError(`${address} ${parsed}`);
    const requests: Request[] = [];
    // The newest first, so that a test can replace a destination.
    this.#registered = [{ prefix: parsed.url, handler, requests }, ...this.#registered];
    return { requests };
  }

  clear(): void {
    this.#registered = [];
  }

  /** The response of a destination; `undefined` if there is none under this address. */
  async ask(sent: SentRequest): Promise<Response | undefined> {
    const url = new URL(sent.url);
    const found = this.#registered
      .filter(({ prefix }) => isBelow(url, prefix))
      .toSorted((a, b) => b.prefix.pathname.length - a.prefix.pathname.length)[0];
    if (found === undefined) return undefined;
    const request = requestOf(sent);
    found.requests.push(request.clone());
    return found.handler(request);
  }
}

/** Lists the header fields of a response, each cookie by itself. */
export function fieldsOf(headers: Headers): readonly (readonly [name: string, value: string])[] {
  const cookies = headers.getSetCookie();
  const others = [...headers].filter(([name]) => name !== 'set-cookie');
  return [...others, ...cookies.map((cookie) => ['set-cookie', cookie] as const)];
}

async function answer(
  destinations: Destinations,
  { destination, method, target, headers, body, bodyMaxBytes }: OutboundRequest,
  onSent: (sent: SentRequest) => void,
): Promise<InboundResponse> {
  const content = body.reveal();
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
  const response = await destinations.ask(sent);
  if (response === undefined || response.type === 'error')
    throw unreachable('The destination cannot be reached.');
  onSent(sent);
  const received = bodyMaxBytes === 'unread' ? Buffer.alloc(0) : Buffer.from(await response.arrayBuffer());
  if (bodyMaxBytes !== 'unread' && received.length > bodyMaxBytes)
    throw unreachable(`The response of the destination is larger than ${String(bodyMaxBytes)} bytes.`);
  if (response.status < 200) throw unreachable('The destination returned an invalid status.');
  return { status: response.status, headers: fieldsOf(response.headers), body: received };
}

/** The way of the proxy and of webhooks to the destinations. One that throws is unreachable. */
export const createMemoryEgress = (
  destinations: Destinations,
  platform: Pick<Platform, 'startTimer'>,
  { onSent = () => undefined }: { readonly onSent?: (sent: SentRequest) => void } = {},
): EgressClient => ({
  send: (outbound) =>
    withTimeout(platform, outbound.timeoutMs, async (signal) => {
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () =>
          reject(new ServiceError('destination_timeout', 'The destination did not respond in time.')),
        );
      });
      try {
        return await Promise.race([answer(destinations, outbound, onSent), late]);
      } catch (error) {
        throw error instanceof ServiceError ? error : unreachable('The destination cannot be reached.');
      }
    }),
});
