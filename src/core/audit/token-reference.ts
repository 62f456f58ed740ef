import { createHash } from 'node:crypto';
import { isUuid } from '../shared/is-uuid.ts';

/*
 * A record names a token by 16 bytes if its id is a UUID, and otherwise by a reference of 24 bytes.
 * The creator of a token chooses its id, and must not decide what the records of others cost.
 */

export const UUID_BYTES = 16;
/** Two ids with the same reference take some 2^96 attempts to find. */
export const REFERENCE_BYTES = 24;

const PREFIX = 'ref:';

/** An id that is stored apart from the records that refer to it. */
export interface Referred {
  readonly reference: Buffer;
  readonly id: string;
}

/**
 * The ids of references, by {@link referenceText}. An id whose hash is not the reference is left
 * out.
 */
export type ReferredIds = (references: readonly Buffer[]) => Promise<ReadonlyMap<string, string>>;

/** The reference that replaces an id: the first bytes of its SHA-256. */
export const referenceOf = (id: string): Buffer =>
  createHash('sha256').update(id).digest().subarray(0, REFERENCE_BYTES);

/** The text that replaces an id until it is looked up: `ref:` and base64url. */
export const referenceText = (reference: Buffer): string => PREFIX + reference.toString('base64url');

/** Reads the text of a reference; `undefined` for any other text. */
export function parseReference(text: string): Buffer | undefined {
  if (!/^ref:[\w-]{32}$/.test(text)) return undefined;
  return Buffer.from(text.slice(PREFIX.length), 'base64url');
}

/** Names a token as a record does before references are looked up. */
export const nameOfToken = (id: string): string => (isUuid(id) ? id : referenceText(referenceOf(id)));

/** Converts such a name to the bytes from which an index computes its hash. */
export function bytesOfName(name: string): Buffer {
  return parseReference(name) ?? packUuid(name);
}

export const packUuid = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

export function unpackUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join('-');
}
