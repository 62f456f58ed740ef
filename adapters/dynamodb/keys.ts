import { createHash } from 'node:crypto';

/*
 * The only place that spells a key. `docs/storage.md` lists every access pattern with its key.
 * A tenant id is a UUID, so a prefix of fixed length divides the partition key of what belongs to a tenant.
 */

/** The primary key of an item in any of the tables. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

const TENANT_ID_LENGTH = 36;

/** Tokens table: the token itself. */
export function tokenKey(tenantId: string, id: string): ItemKey {
  return { pk: `${tenantId}#${id}`, sk: 'token' };
}

/** The tenant and the id in the partition key of a token. */
export function parseTokenPartition(pk: string): { readonly tenantId: string; readonly id: string } {
  return { tenantId: pk.slice(0, TENANT_ID_LENGTH), id: pk.slice(TENANT_ID_LENGTH + 1) };
}

/** Tokens table: a piece of data too large for one item. */
export function chunkKey(tenantId: string, id: string, version: number, index: number): ItemKey {
  return { pk: `${tenantId}#${id}`, sk: `data#${String(version)}#${String(index).padStart(2, '0')}` };
}

/** Ephemeral table: the cvc of a card. */
export function cvcKey(tenantId: string, tokenId: string): ItemKey {
  return { pk: `${tenantId}#${tokenId}`, sk: 'cvc' };
}

/** Access table: a tenant with its wrapped keys. */
export function tenantKey(tenantId: string): ItemKey {
  return { pk: tenantId, sk: 'tenant' };
}

/** Access table: an application. Ids are UUID version 7, so the sort key orders by creation. */
export function applicationKey(tenantId: string, id: string): ItemKey {
  return { pk: tenantId, sk: `application#${id}` };
}

/** Access table: the application behind an API key, by the hash of the key. */
export function credentialKey(keyHash: Buffer): ItemKey {
  return { pk: `key#${keyHash.toString('base64url')}`, sk: 'key' };
}

/** Names of the secondary indexes; `lib/data-stack.ts` defines them. */
export const INDEXES = { list: 'list', fingerprint: 'fingerprint', due: 'due' } as const;

/** Partition of the list index: a tenant's tokens are spread over shards so that no partition takes all writes. */
export function listPartition(tenantId: string, shard: number): string {
  return `${tenantId}#${String(shard)}`;
}

/** The shard of a token, from its id. */
export function shardOf(id: string, shards: number): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % shards;
}

const TIME_LENGTH = 9;

/** A time that sorts as text: ms since the epoch in base 36, nine characters (until the year 5188). */
export function sortableTime(at: number): string {
  return at.toString(36).padStart(TIME_LENGTH, '0');
}

/** Ephemeral table: the record of a request with an idempotency key, by the hash that names it. */
export function idempotencyKey(tenantId: string, request: string): ItemKey {
  return { pk: `${tenantId}#request#${request}`, sk: 'idempotency' };
}
