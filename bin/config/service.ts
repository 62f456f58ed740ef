import type { JsonObject } from '../../src/core/shared/json.ts';
import type { NewKey } from './keys/key-targets.ts';
import type { Kind, LiveKey } from './model.ts';

/** Applications and proxies have keys. */
export type Owner = Exclude<Kind, 'reactors'>;

/** A resource with the tag of its version, as one response has both. */
export interface Tagged {
  readonly id: string;
  readonly etag: string;
  readonly body: JsonObject;
}

/** The service refused a call, or was not reached (status 0). The message has no value. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  readonly status: number;

  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Whether a change may take the last key that changes applications. */
export interface Force {
  readonly force: boolean;
}

/**
 * Everything that `config` calls. Each call rejects with {@link CallFailed}. The bodies of reactors
 * have `code_digest` and `configuration_names`, and never code or values.
 */
export interface ConfigService {
  readonly tenant: () => Promise<Tagged>;
  readonly writeTenant: (body: JsonObject, ifMatch: string) => Promise<Tagged>;
  /** The application of the key that calls. */
  readonly self: () => Promise<string>;
  /** The image that new reactors get. */
  readonly defaultImage: () => Promise<string>;
  /** Returns all of the tenant. */
  readonly list: (kind: Kind) => Promise<readonly JsonObject[]>;
  readonly retrieve: (kind: Kind, id: string) => Promise<Tagged>;
  /** Code and values of a reactor; rejects with status 403 for a key that may only review. */
  readonly retrieveCode: (id: string) => Promise<{ readonly code: string }>;
  /** A new application or proxy has a first key. */
  readonly create: (kind: Kind, body: JsonObject) => Promise<Tagged & { readonly key?: NewKey['key'] }>;
  readonly update: (
    kind: Kind,
    id: string,
    body: JsonObject,
    options: Force & { readonly ifMatch: string },
  ) => Promise<Tagged>;
  readonly remove: (kind: Kind, id: string, options: Force & { readonly ifMatch: string }) => Promise<void>;
  readonly keys: (owner: Owner, id: string) => Promise<readonly JsonObject[]>;
  readonly retrieveKey: (owner: Owner, id: string, keyId: string) => Promise<LiveKey>;
  /** Under one idempotency key there is one key. */
  readonly createKey: (owner: Owner, id: string, body: JsonObject, idempotencyKey: string) => Promise<NewKey>;
  readonly changeKey: (
    owner: Owner,
    id: string,
    keyId: string,
    body: JsonObject,
    ifMatch: string,
  ) => Promise<void>;
  readonly removeKey: (
    owner: Owner,
    id: string,
    keyId: string,
    options: Force & { readonly ifMatch: string },
  ) => Promise<void>;
}
