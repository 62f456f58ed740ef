import type { Client, ClientOptions } from '../../sdk/src/index.ts';
import type { OperationName } from './operation-name.ts';

/** Answers a request that the proxy, a webhook or a reactor sends. */
export type DestinationHandler = (request: Request) => Response | Promise<Response>;

/** A server that a vault can reach. */
export interface Destination {
  /** Everything that has reached it. Each body can be read once: `clone` it to read it again. */
  readonly requests: readonly Request[];
  /** Errors that its handler has thrown. For the service it was unreachable then. */
  readonly errors: readonly unknown[];
}

/** The next calls of an operation, which fail. */
export interface Failure {
  readonly operation: OperationName;
  /** How many calls. Default: 1. */
  readonly times?: number | undefined;
  /** Default: 503. Only the proxy has 408 and 502, and only a write has 409. */
  readonly status?: 408 | 409 | 429 | 500 | 502 | 503 | undefined;
}

export interface VaultOptions {
  /** Where the clock begins. Default: the time of the machine. */
  readonly now?: Date | string | number | undefined;
  /** The address of the vault, https without a path. Default: `https://vault.test`. */
  readonly baseUrl?: string | undefined;
  /** Has the meaning of the deploy setting (docs/deploy.md), as the next ones. */
  readonly clientCompatibility?: 'strict' | 'lenient' | undefined;
  readonly headerPrefix?: string | undefined;
  readonly cvcLifetimeSeconds?: number | undefined;
  /** Origins that the proxy may reach although they are not https on port 443. */
  readonly egressAllowList?: readonly string[] | undefined;
  /**
   * Receives each line that the service logs and that reactors print. Default: nothing, but what a
   * handler of the test has thrown goes to `console.error`.
   */
  readonly print?: ((line: string) => void) | undefined;
}

/** A webhook that the vault has delivered. */
export interface Delivery {
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface VaultClock {
  now(): Date;
  /**
   * Moves the clock by ms or a text such as `'2h'`, and does what becomes due: tokens, keys and
   * sessions expire, cvcs end, deliveries are repeated.
   */
  advance(duration: string | number): Promise<void>;
}

/** Options of a client, of which the vault knows the address. */
export type VaultClientOptions = Omit<ClientOptions, 'baseUrl' | 'fetch' | 'apiKey'> & {
  readonly apiKey: string;
};

declare const snapshot: unique symbol;
/** The state that `restore` goes back to. */
export interface Snapshot {
  readonly [snapshot]: true;
}

/** The service runs in this process, with a tenant of its own. */
export interface Vault {
  readonly baseUrl: string;
  readonly tenantId: string;
  /** The key that the tenant's first management application has. */
  readonly managementKey: string;
  /** The secret that signs the tenant's webhooks. */
  readonly webhookSecret: string;
  /**
   * Calls the vault as `fetch` calls a service. Rejects for any other address.
   * @example const response = await vault.fetch('/tokens', { headers: { 'SVC-API-KEY': key } });
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Makes a client of the SDK.
   * @example const client = vault.client({ apiKey: application.key });
   */
  readonly client: (options: VaultClientOptions) => Client;
  /** Management clients, with all rights of their kind. */
  readonly applications: Client['applications'];
  readonly reactors: Client['reactors'];
  readonly proxies: Client['proxies'];
  readonly tenants: Client['tenants'];
  readonly logs: Client['logs'];
  /** The type of a token; `undefined` if the vault has none of this id. It leaves no record. */
  readonly typeOf: (tokenId: string) => string | undefined;
  /** Whether the vault has an application of this id. It leaves no record. */
  readonly hasApplication: (id: string) => boolean;
  readonly clock: VaultClock;
  /**
   * Puts a server on the internet of the vault, for all paths below the address. The proxy,
   * webhooks and reactors reach nothing else. Throws `TypeError` for an address that the service
   * refuses.
   * @example const bank = vault.destination('https://bank.example', () => Response.json({ ok: true }));
   */
  readonly destination: (url: string | URL, handler: DestinationHandler) => Destination;
  /** The webhooks that reached a destination, the oldest first. */
  readonly webhooks: readonly Delivery[];
  /**
   * Lets the next calls of an operation fail as the service would, without any effect.
   * @example vault.fail({ operation: 'createToken', times: 2, status: 503 });
   */
  readonly fail: (failure: Failure) => void;
  /**
   * Resolves when nothing is due any more: reactors have run, and webhooks have been sent. A
   * handler of a destination must not wait for it, nor for the clock: its own call ends first.
   */
  readonly settled: () => Promise<void>;
  /** Keeps the whole state, and the time. Work must have {@link settled}. */
  readonly snapshot: () => Snapshot;
  /**
   * Goes back to a snapshot of this vault, its destinations, webhooks and coming failures included.
   * What still runs ends without an effect; a client that retries goes on in the new state.
   */
  readonly restore: (snapshot: Snapshot) => void;
  /** Goes back to the beginning, as {@link restore}. */
  readonly reset: () => void;
}
