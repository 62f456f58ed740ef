import { createHash, timingSafeEqual } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Random } from '../shared/platform.ts';
import { Secret } from '../shared/secret.ts';

const UUID_BYTES = 16;
const RANDOM_BYTES = 32;
const PREFIX = 'key_';
/**
 * 48 bytes are 64 to 66 characters in base58. A text outside this form is not looked up, but
 * rejected.
 */
const FORM = /^key_([a-z]{1,20})_([1-9A-HJ-NP-Za-km-z]{48,66})$/;

/** The key of a stored proxy: it also has the id of the proxy, which is found by it. */
const PROXY_FORM = /^key_proxy_([1-9A-HJ-NP-Za-km-z]{64,88})$/;

/** The purpose of a key, which decides where its credential is stored. */
export type ApiKeyKind = 'application' | 'session' | 'invocation';

/** The content of an API key. Nothing of it is proven until the credential has been found. */
export interface ApiKeyContent {
  readonly kind: ApiKeyKind;
  readonly tenantId: string;
  /** SHA-256 of the whole key, including its content: see {@link hashApiKey}. */
  readonly hash: Buffer;
}

/** The content of a stored proxy's key. Nothing of it is proven until the proxy has been found. */
export interface ProxyKeyContent {
  readonly tenantId: string;
  readonly proxyId: string;
  /** SHA-256 of the whole key, including its content. */
  readonly hash: Buffer;
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The key of a type: `key_<type>_`, then in base58 some UUIDs and 256 random bits. */
function generate(random: Random, type: string, ids: readonly string[]): Secret<string> {
  const uuids = ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'));
  if (uuids.some(({ length }) => length !== UUID_BYTES)) throw new Error('API key: its ids are UUIDs');
  return new Secret(`key_${type}_${base58.encode(Buffer.concat([...uuids, random.bytes(RANDOM_BYTES)]))}`);
}

/** Makes a new API key, with the id of its tenant. */
export const generateApiKey = (random: Random, type: string, tenantId: string): Secret<string> =>
  generate(random, type, [tenantId]);

/** Makes a new key of a stored proxy, with the ids of its tenant and of the proxy. */
export const generateProxyKey = (random: Random, tenantId: string, proxyId: string): Secret<string> =>
  generate(random, 'proxy', [tenantId, proxyId]);

function kindOf(type: string): ApiKeyKind {
  return type === 'session' || type === 'invocation' ? type : 'application';
}

export const hasKeyPrefix = (text: Secret<string>): boolean => text.reveal().startsWith(PREFIX);

/** The content of a key; `undefined` for a text that does not have the form of a key. */
export function readApiKey(key: Secret<string>): ApiKeyContent | undefined {
  const [, type = '', content = ''] = FORM.exec(key.reveal()) ?? [];
  if (content === '') return undefined;
  const bytes = base58.decode(content);
  if (bytes.length !== UUID_BYTES + RANDOM_BYTES) return undefined;
  return { kind: kindOf(type), tenantId: uuidOf(bytes.subarray(0, UUID_BYTES)), hash: hashApiKey(key) };
}

export const isProxyKey = (key: Secret<string>): boolean => PROXY_FORM.test(key.reveal());

/** The content of a stored proxy's key; `undefined` for a text that does not have its form. */
export function readProxyKey(key: Secret<string>): ProxyKeyContent | undefined {
  const [, content = ''] = PROXY_FORM.exec(key.reveal()) ?? [];
  if (content === '') return undefined;
  const bytes = base58.decode(content);
  if (bytes.length !== 2 * UUID_BYTES + RANDOM_BYTES) return undefined;
  return {
    tenantId: uuidOf(bytes.subarray(0, UUID_BYTES)),
    proxyId: uuidOf(bytes.subarray(UUID_BYTES, 2 * UUID_BYTES)),
    hash: hashApiKey(key),
  };
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
