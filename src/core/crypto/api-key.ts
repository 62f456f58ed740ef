import { createHash, timingSafeEqual } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Random } from '../shared/platform.ts';
import { Secret } from '../shared/secret.ts';

const TENANT_BYTES = 16;
const RANDOM_BYTES = 32;
const PREFIX = 'key_';
/**
 * 48 bytes are 64 to 66 characters in base58. A text outside this form is not looked up, but
 * rejected.
 */
const FORM = /^key_([a-z]{1,20})_([1-9A-HJ-NP-Za-km-z]{48,66})$/;

/** The purpose of a key, which decides where its credential is stored. */
export type ApiKeyKind = 'application' | 'session' | 'invocation';

/** The content of an API key. It is only a claim until the credential has been found. */
export interface ApiKeyClaim {
  readonly kind: ApiKeyKind;
  readonly tenantId: string;
  /** SHA-256 of the whole key, including the claim: see {@link hashApiKey}. */
  readonly hash: Buffer;
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Makes a new API key: `key_<type>_`, then in base58 the id of its tenant and 256 random bits. */
export function generateApiKey(random: Random, type: string, tenantId: string): Secret<string> {
  const bytes = Buffer.concat([Buffer.from(tenantId.replaceAll('-', ''), 'hex'), random.bytes(RANDOM_BYTES)]);
  if (bytes.length !== TENANT_BYTES + RANDOM_BYTES) throw new Error('API key: the id of a tenant is a UUID');
  return new Secret(`key_${type}_${base58.encode(bytes)}`);
}

function kindOf(type: string): ApiKeyKind {
  return type === 'session' || type === 'invocation' ? type : 'application';
}

/** Whether a text starts like a key. */
export const hasKeyPrefix = (text: Secret<string>): boolean => text.reveal().startsWith(PREFIX);

/** The claim of a key; `undefined` for a text that does not have the form of a key. */
export function readApiKey(key: Secret<string>): ApiKeyClaim | undefined {
  const [, type = '', content = ''] = FORM.exec(key.reveal()) ?? [];
  if (content === '') return undefined;
  const bytes = base58.decode(content);
  if (bytes.length !== TENANT_BYTES + RANDOM_BYTES) return undefined;
  return { kind: kindOf(type), tenantId: uuidOf(bytes.subarray(0, TENANT_BYTES)), hash: hashApiKey(key) };
}

/**
 * The SHA-256 of an API key, of which nothing else is stored. A plain hash is enough, since a key
 * contains 256 random bits (OWASP: slow hashes are for secrets that people choose).
 */
export function hashApiKey(key: Secret<string>): Buffer {
  return createHash('sha256').update(key.reveal()).digest();
}

/** Compares two hashes in time that does not depend on where they differ. */
export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
