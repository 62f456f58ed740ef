import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { base58 } from '@scure/base';
import { Secret } from '../shared/secret.ts';

const RANDOM_BYTES = 32;
const FORM = /^key_[a-z]{1,20}_[1-9A-HJ-NP-Za-km-z]{27,64}$/;

/** A new API key, `key_<type>_<256 random bits in base58>`. */
export function generateApiKey(type: string): Secret<string> {
  return new Secret(`key_${type}_${base58.encode(randomBytes(RANDOM_BYTES))}`);
}

/** Whether a text has the form of an API key; anything else is not worth a look-up. */
export function isApiKey(text: string): boolean {
  return FORM.test(text);
}

/**
 * The SHA-256 of an API key: all that is stored of it. A plain hash is enough, since a key holds 256 random bits
 * (OWASP: slow hashes are for secrets that people choose).
 */
export function hashApiKey(key: Secret<string>): Buffer {
  return createHash('sha256').update(key.reveal()).digest();
}

/** Compares two hashes in time that does not depend on where they differ. */
export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** What a key is for, which says where it is kept. */
export type ApiKeyKind = 'application' | 'session' | 'invocation';

/** The kind of a key, from its prefix. */
export function apiKeyKind(key: Secret<string>): ApiKeyKind {
  const text = key.reveal();
  if (text.startsWith('key_session_')) return 'session';
  return text.startsWith('key_invocation_') ? 'invocation' : 'application';
}
