import type { Client, ClientOptions } from '../../sdk/src/index.ts';

/** Answers a request that the proxy, a webhook or a reactor sends. */
export type DestinationHandler = (request: Request) => Response | Promise<Response>;

/** A server that a vault can reach. */
export interface Destination {
  /** Everything that has reached it. Each can be read. */
  readonly requests: readonly Request[];
}

/** The next calls of an operation, which fail. */
export interface Failure {
  /** A name of the OpenAPI document: `createToken`, `proxy`. */
  readonly operation: string;
  /** How many calls. Default: 1. */
  readonly times?: number;
  /** 408, 409, 429, 500, 502 or 503, which is the default. */
  readonly status?: number;
}

export interface VaultOptions {
  /** Where the clock begins. Default: the time of the machine. */
  readonly now?: Date | string | number;
  /** The address of the vault, https without a path. Default: `https://vault.test`. */
  readonly baseUrl?: string;
  /** Has the meaning of the deploy setting (docs/deploy.md), as the next ones. */
  readonly clientCompatibility?: 'strict' | 'lenient';
  readonly headerPrefix?: string;
  readonly cvcLifetimeSeconds?: number;
  /** Origins that the proxy may reach although they are not https on port 443. */
  readonly egressAllowList?: readonly string[];
  /** Receives each line that the service logs and that reactors print. Default: nothing. */
  readonly print?: (line: string) => void;
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
/** What `restore` goes back to. */
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
  readonly clock: VaultClock;
  /**
   * Puts a server on the internet of the vault, for all paths below the address. The proxy,
   * webhooks and reactors reach nothing else. Throws `TypeError` for an address that the service
   * refuses.
   * @example const bank = vault.destination('https://bank.example', () => Response.json({ ok: true }));
   */
  readonly destination: (url: string, handler: DestinationHandler) => Destination;
  /** The webhooks that reached a destination, the oldest first. */
  readonly webhooks: readonly Delivery[];
  /**
   * Lets the next calls of an operation fail as the service would, without any effect.
   * @example vault.fail({ operation: 'createToken', times: 2, status: 503 });
   */
  readonly fail: (failure: Failure) => void;
  /** Resolves when nothing is due any more: reactors have run, and webhooks have been sent. */
  readonly settled: () => Promise<void>;
  /** Keeps what is stored, and the time. Work must have {@link settled}. */
  readonly snapshot: () => Snapshot;
  /** Goes back to a snapshot. Destinations and coming failures stay. */
  readonly restore: (snapshot: Snapshot) => void;
  /** Goes back to the beginning, without destinations, webhooks and coming failures. */
  readonly reset: () => void;
}
