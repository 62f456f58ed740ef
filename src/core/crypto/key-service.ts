import type { KeyObject } from 'node:crypto';

/** The encryption context of a wrapped key: it unwraps only under exactly the same context. */
export interface KeyContext {
  readonly tenant: string;
}

export interface GeneratedKey {
  /** 32 random bytes, as an object that does not print them. */
  readonly key: KeyObject;
  /** The same key, encrypted by the key service under the context. Safe to store. */
  readonly wrapped: Buffer;
}

/**
 * The service with the master key (AWS KMS). Both calls throw `dependency_unavailable` when it is
 * unreachable, or still throttles after retries. A wrapped key that does not open under the context
 * is an unexpected error.
 */
export interface KeyService {
  generateKey(context: KeyContext): Promise<GeneratedKey>;
  unwrapKey(wrapped: Buffer, context: KeyContext): Promise<KeyObject>;
}
