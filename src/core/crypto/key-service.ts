import type { KeyObject } from 'node:crypto';

/** What a wrapped key is bound to; it unwraps only under the very same context. */
export interface KeyContext {
  readonly tenant: string;
}

export interface GeneratedKey {
  /** 32 random bytes, in a form that nothing prints. */
  readonly key: KeyObject;
  /** The same key, encrypted by the key service under the context. Safe to store. */
  readonly wrapped: Buffer;
}

/**
 * The service that holds the key above all others (AWS KMS). Both calls throw
 * `dependency_unavailable` when it cannot be reached or throttles after retries; a wrapped key that
 * does not open under the context is an unexpected error.
 */
export interface KeyService {
  generateKey(context: KeyContext): Promise<GeneratedKey>;
  unwrapKey(wrapped: Buffer, context: KeyContext): Promise<KeyObject>;
}
