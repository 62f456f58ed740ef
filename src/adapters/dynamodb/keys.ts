import { createHash } from 'node:crypto';
import { sortableTime } from '../../core/shared/position.ts';
import type { Image } from '../../core/reactors/layer.ts';
import type { Random } from '../../core/shared/platform.ts';

/*
 * Only this file builds keys (docs/storage.md#access-patterns). A tenant id is a UUID, so the
 * partition key of a tenant's records starts with a prefix of fixed length.
 */

/** The primary key that an item has in any of the tables. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

const TENANT_ID_LENGTH = 36;

/** Tokens table: the item that is the token itself. */
export function tokenKey(tenantId: string, id: string): ItemKey {
  return { pk: `${tenantId}#${id}`, sk: 'token' };
}

/** Longer than any token id in bytes. A partition key takes 2,048 (AWS). */
const NAME_MAX_BYTES = 1_600;

/** Whether a requested id or fingerprint can be part of a key. If not, there is no such record. */
export function canBeInKey(name: string): boolean {
  return name !== '' && name.isWellFormed() && Buffer.byteLength(name) <= NAME_MAX_BYTES;
}

/** Reads the tenant and the id from the partition key of a token. */
export function parseTokenPartition(pk: string): { readonly tenantId: string; readonly id: string } {
  return { tenantId: pk.slice(0, TENANT_ID_LENGTH), id: pk.slice(TENANT_ID_LENGTH + 1) };
}

/** Tokens table: the base key of the parts of large data. Each version has its own. */
export function tokenDataKey(tenantId: string, id: string, version: number): ItemKey {
  return { pk: `${tenantId}#${id}`, sk: `data#${String(version)}` };
}

/**
 * Tokens table: an entry of the index of terms, by the hash of the term. Entries of one term sort
 * by creation of their token.
 */
export function termKey(tenantId: string, term: string, position: string): ItemKey {
  return { pk: termPartition(tenantId, term), sk: position };
}

/** Tokens table: the partition that has all entries of a term. */
export function termPartition(tenantId: string, term: string): string {
  return `${tenantId}#term#${term}`;
}

/** The sort key that all locks have. */
export const LOCK = 'lock';

/** Tokens table: the lock that maps a match hash to its token, for deduplication. */
export function lockKey(tenantId: string, matchHash: string): ItemKey {
  return { pk: `${tenantId}#lock#${matchHash}`, sk: LOCK };
}

/** Sorts after every time, because a token without expiry outlives all others. */
const NEVER = '~';

/**
 * The text that sorts a token among those with its fingerprint: by match hash, then by expiry (ms
 * since the epoch), then by creation.
 */
export function matchSort({
  matchHash,
  expiresAtMs,
  position,
}: {
  readonly matchHash: string;
  readonly expiresAtMs: number | undefined;
  readonly position: string;
}): string {
  return `${matchHash}#${expiresAtMs === undefined ? NEVER : sortableTime(expiresAtMs)}#${position}`;
}

/** The first and last position of tokens of a match hash that do not expire before a time. */
export function matchesFrom(matchHash: string, expiresAtMs: number | undefined): readonly [string, string] {
  return [matchSort({ matchHash, expiresAtMs, position: '' }), `${matchHash}#${NEVER}${NEVER}`];
}

/** Reads the match hash from a {@link matchSort}. */
export function matchHashIn(sort: string): string {
  return sort.slice(0, sort.indexOf('#'));
}

/** Reads the tenant of a lock from its partition key. */
export function lockTenant(pk: string): string {
  return pk.slice(0, TENANT_ID_LENGTH);
}

/** Ephemeral table: the item that has the cvc of a card. */
export function cvcKey(tenantId: string, tokenId: string): ItemKey {
  return { pk: `${tenantId}#${tokenId}`, sk: 'cvc' };
}

/**
 * Number of equal copies of frequently read records. Each is in its own partition, which serves
 * 3,000 consistent reads a second.
 */
const COPIES = 8;

/** The numbers that the copies have. */
export const ALL_COPIES: readonly number[] = Array.from({ length: COPIES }, (_, copy) => copy);

/** The copy that has what is not copied. */
export const FIRST_COPY = 0;

/** The copy to read, which is a random one, so that no pattern of requests prefers one. */
export function someCopy(random: Random): number {
  return random.integer(COPIES);
}

/** Access table: a tenant. */
export function tenantKey(tenantId: string): ItemKey {
  return { pk: tenantId, sk: 'tenant' };
}

export function isTenantKey({ sk }: ItemKey): boolean {
  return sk === 'tenant';
}

/** Access table: a copy of what requests need to know about their tenant. */
export function tenantCopyKey(tenantId: string, copy: number): ItemKey {
  return { pk: `${tenantId}#copy#${String(copy)}`, sk: 'tenant-copy' };
}

/** Access table: an application. Ids are UUID version 7, so the sort key orders by creation. */
export function applicationKey(tenantId: string, id: string): ItemKey {
  return { pk: tenantId, sk: `application#${id}` };
}

/** The prefix with which the sort keys of applications begin. */
export const APPLICATION_PREFIX = 'application#';

/** The kinds of resources that have external ids. */
export const NAMED_KINDS = ['application', 'proxy', 'reactor'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

/** The prefix with which the sort keys of external ids begin. */
const EXTERNAL_ID_PREFIX = 'external#';

/** Access or Reactors table: the external id of a resource, which no other of its kind has. */
export function externalIdKey(tenantId: string, kind: NamedKind, externalId: string): ItemKey {
  return { pk: tenantId, sk: `${EXTERNAL_ID_PREFIX}${kind}#${externalId}` };
}

/** The kind of resource whose external id has this sort key; `undefined` for any other key. */
export const namedKindIn = (sk: string): NamedKind | undefined => {
  const kind = sk.startsWith(EXTERNAL_ID_PREFIX) ? sk.split('#')[1] : undefined;
  return NAMED_KINDS.find((each) => each === kind);
};

/** The prefix with which the sort keys of retired keys begin. */
export const RETIRED_PREFIX = 'retired#';

/** Access table: a key that was deleted, by which its tombstones are found. */
export function retiredKey(tenantId: string, keyId: string): ItemKey {
  return { pk: tenantId, sk: `${RETIRED_PREFIX}${keyId}` };
}

/** The prefix with which the sort keys of the retired keys of a stored proxy begin. */
export const retiredProxyPrefix = (proxyId: string): string => `${RETIRED_PREFIX}${proxyId}#`;

/** Access table: a key of a stored proxy that was deleted, by which the proxy counts them. */
export function retiredProxyKey(tenantId: string, proxyId: string, keyId: string): ItemKey {
  return { pk: tenantId, sk: `${retiredProxyPrefix(proxyId)}${keyId}` };
}

/** The prefix with which the sort keys of stored proxies begin. */
export const PROXY_PREFIX = 'proxy#';

/** Access table: a stored proxy. Ids are UUID version 7, so the sort key orders by creation. */
export function proxyKey(tenantId: string, id: string): ItemKey {
  return { pk: tenantId, sk: `${PROXY_PREFIX}${id}` };
}

/** The prefix with which the sort keys of the list items of stored proxies begin. */
export const LISTED_PROXY_PREFIX = 'proxy-name#';

/** Access table: what a list needs to know of a stored proxy. It sorts as the proxy does. */
export function listedProxyKey(tenantId: string, id: string): ItemKey {
  return { pk: tenantId, sk: `${LISTED_PROXY_PREFIX}${id}` };
}

/** Access table: how many stored proxies a tenant has. */
export function proxyCountKey(tenantId: string): ItemKey {
  return { pk: tenantId, sk: 'proxy-count' };
}

/** The prefix with which the sort keys of the versions of a stored proxy begin. */
export const proxyVersionPrefix = (id: string): string => `proxy-version#${id}#`;

/** Reads the id of a stored proxy from the sort key of its item, or of one of its versions. */
export function proxyIdIn(sk: string): string | undefined {
  return /^proxy(?:-version|-name)?#([\da-f-]+)/.exec(sk)?.[1];
}

/** Access table: a version of a stored proxy. */
export function proxyVersionKey(tenantId: string, id: string, version: number): ItemKey {
  return { pk: tenantId, sk: `${proxyVersionPrefix(id)}${String(version).padStart(10, '0')}` };
}

/**
 * Access table: a copy of an application's grants, by its id, for its keys, sessions and
 * invocations.
 */
export function grantsKey(tenantId: string, id: string, copy: number): ItemKey {
  return { pk: `${tenantId}#grants#${id}#${String(copy)}`, sk: 'grants' };
}

/** Access table: a copy of a key of an application, or its tombstone, by the hash of the key. */
export function credentialKey(keyHash: Buffer, copy: number): ItemKey {
  return { pk: `key#${keyHash.toString('base64url')}#${String(copy)}`, sk: 'key' };
}

/** Names of the secondary indexes; `lib/data-stack.ts` defines them. */
export const INDEXES = {
  list: 'list',
  fingerprint: 'fingerprint',
  due: 'due',
  group: 'group',
} as const;

/**
 * The attributes that a token has in the indexes besides keys. A list or a search needs them before
 * it reads the token.
 */
export const LIST_INDEX_ATTRIBUTES: readonly string[] = ['type', 'containers', 'expiration'];
export const FINGERPRINT_INDEX_ATTRIBUTES: readonly string[] = [
  ...LIST_INDEX_ATTRIBUTES,
  'position',
  'hasMask',
  'pending',
];

/**
 * Partition of the list index. A tenant's tokens are spread over shards so that no partition takes
 * all writes.
 */
export function listPartition(tenantId: string, shard: number): string {
  return `${tenantId}#${String(shard)}`;
}

/** Partition of the list index with the tombstones of a tenant's deleted tokens. */
export function tombstonePartition(tenantId: string, shard: number): string {
  return `${tenantId}#gone#${String(shard)}`;
}

/** The shard that has a token, derived from its id. */
export function shardOf(id: string, shards: number): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % shards;
}

/** Ephemeral table: the record of a request that has an idempotency key, by a hash of both. */
export function idempotencyKey(tenantId: string, request: string): ItemKey {
  return { pk: `${tenantId}#request#${request}`, sk: 'idempotency' };
}

/** The prefix with which the partitions of failed transforms begin. */
export const PROXY_FAILURES_PREFIX = 'proxy-failures#';

/** Ephemeral table: the partition that has the failed transforms of a stored proxy. */
export const proxyFailurePartition = (tenantId: string, proxyId: string): string =>
  `${PROXY_FAILURES_PREFIX}${tenantId}#${proxyId}`;

/** Ephemeral table: a failed transform of one call. It sorts by its time. */
export function proxyFailureKey(
  tenantId: string,
  proxyId: string,
  { at, traceId }: { readonly at: number; readonly traceId: string },
): ItemKey {
  return { pk: proxyFailurePartition(tenantId, proxyId), sk: `${sortableTime(at)}#${traceId}` };
}

/** Ephemeral table: the base key of the parts of a response. Each attempt has its own. */
export function responseKey(record: ItemKey, attempt: string): ItemKey {
  return { pk: record.pk, sk: `response#${attempt}` };
}

/**
 * Number of partitions of a table's due index. Records with a due time are spread over them. Each
 * takes 1,000 writes a second, of all tenants.
 */
export const DUE_SHARDS = 16;

/** The partition of the due index that a record is in. */
export function duePartition(of: string): string {
  return `due#${String(shardOf(of, DUE_SHARDS))}`;
}

/** Lists every partition of the due index. */
export const DUE_PARTITIONS = Array.from({ length: DUE_SHARDS }, (_, shard) => `due#${String(shard)}`);

/** Ephemeral table: a session, found by the hash of its key. */
export function sessionKey(keyHash: Buffer): ItemKey {
  return { pk: `key#${keyHash.toString('base64url')}`, sk: 'session' };
}

/** Ephemeral table: a nonce, found by its hash. */
export function nonceKey(tenantId: string, nonceHash: Buffer): ItemKey {
  return { pk: `${tenantId}#nonce#${nonceHash.toString('base64url')}`, sk: 'nonce' };
}

/** Ephemeral table: the credential of one invocation of a reactor, found by the hash of its key. */
export function invocationCredentialKey(keyHash: Buffer): ItemKey {
  return { pk: `key#${keyHash.toString('base64url')}`, sk: 'invocation-key' };
}

/** The prefix with which the sort keys of reactors begin. */
export const REACTOR_PREFIX = 'reactor#';

/** Reactors table: a reactor. Ids are UUID version 7, so the sort key orders by creation. */
export function reactorKey(tenantId: string, id: string): ItemKey {
  return { pk: tenantId, sk: `${REACTOR_PREFIX}${id}` };
}

/** The tenant and the id in the key of a reactor; `undefined` for any other key. */
export function parseReactorKey({
  pk,
  sk,
}: ItemKey): { readonly tenantId: string; readonly id: string } | undefined {
  return sk.startsWith(REACTOR_PREFIX) ? { tenantId: pk, id: sk.slice(REACTOR_PREFIX.length) } : undefined;
}

const PACKAGES_INFIX = '#packages#';

/** Reactors table: the item that lists the packages in the bundle of a reactor. */
export function reactorPackagesKey(tenantId: string, reactorId: string): ItemKey {
  return { pk: `${tenantId}${PACKAGES_INFIX}${reactorId}`, sk: 'locked' };
}

/** Reactors table: the base key of the parts of a bundle. Each write of a bundle has another id. */
export function packagePartsKey(tenantId: string, reactorId: string, id: string): ItemKey {
  return { ...reactorPackagesKey(tenantId, reactorId), sk: id };
}

/** The tenant and the reactor in the key of an item of packages; `undefined` for any other key. */
export function parsePackagesKey({
  pk,
}: Pick<ItemKey, 'pk'>): { readonly tenantId: string; readonly id: string } | undefined {
  if (!pk.startsWith(PACKAGES_INFIX, TENANT_ID_LENGTH)) return undefined;
  return { tenantId: pk.slice(0, TENANT_ID_LENGTH), id: pk.slice(TENANT_ID_LENGTH + PACKAGES_INFIX.length) };
}

const INVOCATION = 'invocation';
const INVOCATION_INFIX = `#${INVOCATION}#`;

/** Reactors table: the item that is an asynchronous invocation. */
export function invocationKey(tenantId: string, id: string): ItemKey {
  return { pk: `${tenantId}${INVOCATION_INFIX}${id}`, sk: INVOCATION };
}

/** The tenant and the id in the key of an invocation; `undefined` for any other key. */
export function parseInvocationKey({
  pk,
  sk,
}: ItemKey): { readonly tenantId: string; readonly id: string } | undefined {
  if (sk !== INVOCATION) return undefined;
  return {
    tenantId: pk.slice(0, TENANT_ID_LENGTH),
    id: pk.slice(TENANT_ID_LENGTH + INVOCATION_INFIX.length),
  };
}

/**
 * Ephemeral table: the base key that the parts of an invocation's payload or result have, and their
 * count.
 */
export function invocationContentKey(tenantId: string, id: string, content: string): ItemKey {
  return { pk: `${tenantId}${INVOCATION_INFIX}${id}`, sk: content };
}

/** A part of a value that is too large for one item, next to its item or base key. */
export function partKey(of: ItemKey, index: number): ItemKey {
  return { pk: of.pk, sk: `${of.sk}#${String(index).padStart(2, '0')}` };
}

/** Whether a sort key of the Ephemeral table is that of a part. */
export function isPartKey(sk: string): boolean {
  return /#\d{2,}$/.test(sk);
}

/**
 * Partition of the due index of the Reactors table for reactors that wait for running instances.
 * They sort by the time since which they wait.
 */
export const WAITING_PARTITION = 'waiting';

/** Reactors table: the item that says which reactors have running instances. */
export const HOT_PLACES_KEY: ItemKey = { pk: 'hot', sk: 'places' };

/** Reactors table: the item with the tenants that may have more of them, beside that. */
export const HOT_ALLOWANCES_KEY: ItemKey = { pk: HOT_PLACES_KEY.pk, sk: 'allowances' };

/** Reactors table: how many reactors a tenant has. */
export function reactorCountKey(tenantId: string): ItemKey {
  return { pk: tenantId, sk: 'reactor-count' };
}

/** Partition of the due index of the Reactors table for parked deliveries, until they end. */
export const PARKED_PARTITION = 'parked';

/** Partition of the index of groups. It contains the parked deliveries of one reactor. */
export function parkedPartition(tenantId: string, reactorId: string): string {
  return `${tenantId}#${reactorId}`;
}

/** The attributes that a reactor has in the index of groups besides keys. */
export const GROUP_INDEX_ATTRIBUTES: readonly string[] = ['layer', 'layerSince', 'stayed'];

/** The prefix with which the partitions of what belongs to an image begin. */
export const LAYER_PREFIX = 'layer#';

/** Reactors table: the item of the last roll of an image. It moves reactors to another layer. */
export function rollKey(image: Image): ItemKey {
  return { pk: `${LAYER_PREFIX}${image}`, sk: 'roll' };
}

/** Reactors table: the item that says which layer the newest deployment has, for an image. */
export function presentLayerKey(image: Image): ItemKey {
  return { pk: `${LAYER_PREFIX}${image}`, sk: 'present' };
}

/** Partition of the index of groups. It contains the reactors whose code runs on an image. */
export function imagePartition(image: Image): string {
  return `layer#${image}`;
}

/** The place of a reactor in the partition of its image: those of one layer are together. */
export function layerSort(hash: string, id: string): string {
  return `${hash}#${id}`;
}

/** The first and the last possible place in the partition of an image. A bound has a character. */
export type PlaceRange = readonly [string, string];

/** The range that has all places after one. */
export const layersAfter = (after: string): PlaceRange => [after === '' ? ' ' : `${after}!`, '~'];

/**
 * The ranges of the partition of an image that have the reactors of all other layers, after a
 * place.
 */
export function otherLayers(hash: string, after = ''): readonly PlaceRange[] {
  const [from, end] = layersAfter(after);
  const ranges = [
    [from, hash],
    [from > `${hash}$` ? from : `${hash}$`, end],
  ] as const;
  return ranges.filter(([first, last]) => first <= last);
}

/** Partition of the due index that contains the deliveries between two attempts. */
export const RETRIED_PARTITION = 'retried';

const shardText = (shard: number) => String(shard).padStart(2, '0');

/** Audit table: a record, by trail, shard and position. */
export function recordKey(trail: string, shard: number, position: string): ItemKey {
  return { pk: recordPartition(trail, shard), sk: position };
}

/** Audit table: a partition of a trail. */
export function recordPartition(trail: string, shard: number): string {
  return `${trail}#log#${shardText(shard)}`;
}

/** Audit table: the id that records of any trail refer to. */
export function referredKey(reference: Buffer): ItemKey {
  return { pk: `id#${reference.toString('base64url')}`, sk: 'id' };
}

/** Audit table: the mark that a shard of a trail has records of a minute (ms since 1970). */
export function markKey(minute: number, shard: number, trail: string): ItemKey {
  return { pk: markPartition(minute, shard), sk: trail };
}

/** Audit table: the marks of a minute in one of the partitions, of all trails. */
export function markPartition(minute: number, shard: number): string {
  return `open#${sortableTime(minute)}#${shardText(shard)}`;
}

/** AuditIndex table: the description of an index, in order of levels and ends (ms). */
export function indexKey(trail: string, level: string, to: number, id: string): ItemKey {
  return { pk: trail, sk: `${level}#${sortableTime(to)}#${id}` };
}

/** AuditIndex table: the entries of an index that is too large for one item. */
export function indexPartition(trail: string, id: string): string {
  return `${trail}#${id}`;
}

/** AuditIndex table: the trails with an index of a day (ms). */
export function dayPartition(day: number): string {
  return `day#${sortableTime(day)}`;
}

/** Audit table: requests to write indexes again. */
export const INDEX_REQUESTS = 'rebuild';

/** AuditSeals table: the partition of all seals. */
export const SEALS = 'seal';

/** AuditSeals table: a part of the seal of the interval that begins at a time (ms). */
export function sealKey(from: number, part: number): ItemKey {
  return { pk: SEALS, sk: `${sortableTime(from)}#${String(part).padStart(4, '0')}` };
}

/** AuditSeals table: the start of the first seal. */
export const SEALS_BEGIN_KEY: ItemKey = { pk: 'begin', sk: 'begin' };

/** Access table: the hash of the newest seal. */
export const SEAL_HEAD_KEY: ItemKey = { pk: 'audit', sk: 'head' };

/** Access table: how far the hourly check of the trail is. */
export const CHECK_CURSOR_KEY: ItemKey = { pk: 'audit-check', sk: 'cursor' };

/** Access table: the deployment key under which new roots are wrapped. */
export const DEPLOYMENT_KEY: ItemKey = { pk: 'deployment-key', sk: 'current' };
