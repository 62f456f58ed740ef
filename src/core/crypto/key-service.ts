import type { KeyObject } from 'node:crypto';

/**
 * The encryption context of a wrapped key, which unwraps only under exactly the same context. It
 * names a tenant by its id, or a deployment key by its own id.
 */
export type KeyContext = { readonly tenant: string } | { readonly deployment: string };

export interface GeneratedKey {
  /** 32 random bytes, as an object that does not print them. */
  readonly key: KeyObject;
  /** The same key, which the key service encrypted under the context. It is safe to store. */
  readonly wrapped: Buffer;
}

/**
 * The service with the master key (AWS KMS). Calls throw `dependency_unavailable` if it is down or
 * still throttles after retries. A key that does not open in its context is an unexpected error.
 */
export interface KeyService {
  generateKey(context: KeyContext): Promise<GeneratedKey>;
  /** Encrypts a key that another key wrapped until now. */
  wrapKey(key: KeyObject, context: KeyContext): Promise<Buffer>;
  unwrapKey(wrapped: Buffer, context: KeyContext): Promise<KeyObject>;
}
