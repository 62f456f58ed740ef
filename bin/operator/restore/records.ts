import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { createHash } from 'node:crypto';
import {
  ALL_COPIES,
  APPLICATION_PREFIX,
  CHECK_CURSOR_KEY,
  DEPLOYMENT_KEY,
  HOT_PLACES_KEY,
  isTenantKey,
  namedKindIn,
  LAYER_PREFIX,
  parseInvocationKey,
  parsePackagesKey,
  parseReactorKey,
  proxyCountKey,
  proxyIdIn,
  reactorCountKey,
  RETIRED_PREFIX,
  SEAL_HEAD_KEY,
  type ItemKey,
} from '../../../src/adapters/dynamodb/keys.ts';
import { basicsItemOf, readTenantItem, tenantItemOf } from '../../../src/adapters/dynamodb/tenant-item.ts';
import { mergeTenant } from './merge-tenant.ts';
import type { RestoreDeps } from './restore-deps.ts';
import type { ListKind, RestoreFolder } from './restore-folder.ts';
import type { TableState } from './restore-state.ts';
import { readAll, scanAll, writeAll, type RawItem } from './scan.ts';

/*
 * Access and Reactors consist of records: a tenant, an application, a stored proxy or a reactor,
 * with all its items. A record that differs from the restore point stays as it is now, unless the
 * administrator removes it from the lists.
 */

/** The items of a record, as digests by key. */
interface FoundRecord {
  readonly items: Map<string, { readonly key: RawItem; readonly digest: string }>;
  /** It has more than tombstones: those of the keys of an application outlive it. */
  isLive: boolean;
  /** Shown to the administrator. */
  name?: string;
}

/** The records of a table, by the text that identifies them in a list. */
type Records = ReadonlyMap<string, FoundRecord>;

const TENANT_ID_LENGTH = 36;

/** Items that belong to the state of the audit trail. */
const TRAIL = JSON.stringify({ trail: 'state' });
/** The pointer to the deployment key for new roots: an attacker may have an older one. */
const POINTER = JSON.stringify({ deployment_key: 'current' });
/** How many proxies and reactors tenants have. They are counted again within an hour. */
const COUNTS = JSON.stringify({ counts: 'all' });
/** Instances run for these reactors now, and for no others. */
const HOT_PLACES = JSON.stringify({ hot: 'places' });
/** The deployment has this layer now, and the last roll moved reactors to it. */
const LAYERS = JSON.stringify({ layers: 'all' });
/** Always as they are now: no list has them. */
const UNLISTED: readonly string[] = [TRAIL, POINTER, COUNTS, HOT_PLACES, LAYERS];
const TRAIL_PARTITIONS: readonly string[] = [SEAL_HEAD_KEY.pk, CHECK_CURSOR_KEY.pk];

const applicationRecord = (tenantId: string, id: string) =>
  JSON.stringify({ tenant_id: tenantId, application_id: id });
const tenantRecord = (tenantId: string) => JSON.stringify({ tenant_id: tenantId });

const isApplication = (sk: string) =>
  [APPLICATION_PREFIX, RETIRED_PREFIX].some((prefix) => sk.startsWith(prefix)) ||
  ['grants', 'key'].includes(sk) ||
  namedKindIn(sk) === 'application';

/** The members of an item that can identify its record. */
const textsOf = (item: RawItem): Partial<Record<string, string>> =>
  Object.fromEntries(
    ['pk', 'sk', 'tenantId', 'applicationId', 'proxyId', 'reactorId', 'id'].flatMap((name) => {
      const text = item[name]?.S;
      return text === undefined ? [] : [[name, text]];
    }),
  );

/** Only the application itself has its id as its own. */
const applicationIdOf = (sk: string, { id = sk, applicationId = id }: ReturnType<typeof textsOf>): string =>
  applicationId;

/** The record of an item of a reactor or a stored proxy. */
function managedRecord(
  key: ItemKey,
  tenantId: string,
  { proxyId = proxyIdIn(key.sk), reactorId }: ReturnType<typeof textsOf>,
): string | undefined {
  const named = namedKindIn(key.sk) === 'reactor' && reactorId !== undefined;
  const reactor = named ? { tenantId, id: reactorId } : (parseReactorKey(key) ?? parsePackagesKey(key));
  if (reactor !== undefined) return JSON.stringify({ tenant_id: reactor.tenantId, reactor_id: reactor.id });
  return proxyId && JSON.stringify({ tenant_id: tenantId, proxy_id: proxyId });
}

/** The record of an item that is always as it is now. */
function stateRecord({ pk, sk }: ItemKey): string | undefined {
  if (TRAIL_PARTITIONS.includes(pk)) return TRAIL;
  if (pk === DEPLOYMENT_KEY.pk) return POINTER;
  if ([proxyCountKey(pk).sk, reactorCountKey(pk).sk].includes(sk)) return COUNTS;
  if (pk === HOT_PLACES_KEY.pk) return HOT_PLACES;
  return pk.startsWith(LAYER_PREFIX) ? LAYERS : undefined;
}

/** The record of an item; `undefined` for the state of an invocation, which is not restored. */
export function recordOf(item: RawItem): string | undefined {
  const { pk = '', sk = '', tenantId = pk, ...texts } = textsOf(item);
  if (parseInvocationKey({ pk, sk }) !== undefined) return undefined;
  const state = stateRecord({ pk, sk });
  if (state !== undefined) return state;
  if (isTenantKey({ pk, sk })) return tenantRecord(pk);
  if (sk === 'tenant-copy') return tenantRecord(pk.slice(0, TENANT_ID_LENGTH));
  const managed = managedRecord({ pk, sk }, tenantId, texts);
  if (managed !== undefined) return managed;
  return isApplication(sk)
    ? applicationRecord(tenantId, applicationIdOf(sk, texts))
    : JSON.stringify({ pk, sk });
}

/** Equal items have the same canonical text. */
function canonical(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)]);
}

/** A use of a key is no change of its application. */
const digestOf = ({ lastUsedOn: _, ...item }: RawItem) =>
  createHash('sha256')
    .update(JSON.stringify(canonical(item)))
    .digest('base64');

const keyOf = ({ pk, sk }: RawItem): Record<string, AttributeValue> => ({
  pk: pk ?? { S: '' },
  sk: sk ?? { S: '' },
});

const keyText = (key: RawItem) => JSON.stringify([key['pk']?.S, key['sk']?.S]);

const isTombstone = ({ sk, isRetired }: RawItem) =>
  isRetired?.BOOL === true || sk?.S?.startsWith(RETIRED_PREFIX) === true;

async function readRecords(deps: RestoreDeps, table: string): Promise<Records> {
  const records = new Map<string, FoundRecord>();
  await scanAll(deps, { TableName: table, ConsistentRead: true }, (item) => {
    const text = recordOf(item);
    if (text === undefined) return;
    const record: FoundRecord = records.get(text) ?? { items: new Map(), isLive: false };
    records.set(text, record);
    record.items.set(keyText(item), { key: keyOf(item), digest: digestOf(item) });
    record.isLive ||= !isTombstone(item);
    const name = item['name']?.S;
    if (name !== undefined) record.name = name;
  });
  return records;
}

function isEqual(a: FoundRecord, b: FoundRecord): boolean {
  return (
    a.items.size === b.items.size &&
    [...a.items].every(([key, { digest }]) => b.items.get(key)?.digest === digest)
  );
}

interface RecordChange {
  readonly text: string;
  readonly kind: ListKind;
  readonly now?: FoundRecord | undefined;
  readonly then?: FoundRecord | undefined;
}

function changesBetween(now: Records, then: Records): readonly RecordChange[] {
  const texts = new Set([...then.keys(), ...now.keys()]);
  return [...texts].flatMap((text): readonly RecordChange[] => {
    const change = { text, now: now.get(text), then: then.get(text) };
    if (change.now !== undefined && change.then !== undefined && isEqual(change.now, change.then)) return [];
    if (change.now?.isLive !== true) return [{ ...change, kind: 'deleted' }];
    return [{ ...change, kind: change.then?.isLive === true ? 'changed' : 'created' }];
  });
}

/** Tombstones alone are no record that an administrator knows: they stay as they are now. */
const isListed = ({ text, now, then }: RecordChange) =>
  !UNLISTED.includes(text) && (now?.isLive === true || then?.isLive === true);

const LIST_KINDS: readonly ListKind[] = ['deleted', 'changed', 'created'];

/** The lists of the records of a table that stay as they are now. */
export const recordLists = (role: string): readonly string[] => LIST_KINDS.map((kind) => `${kind}-${role}`);

/** Writes the lists of what differs from the restore point. Resolves with their lengths. */
export async function listRecords(
  deps: RestoreDeps,
  { role, name, copy }: TableState,
): Promise<Readonly<Record<string, number>>> {
  const changes = changesBetween(await readRecords(deps, name), await readRecords(deps, copy));
  const lengths: Record<string, number> = {};
  for (const kind of LIST_KINDS) {
    const lines = changes
      .filter((change) => change.kind === kind && isListed(change))
      .map(({ text, now, then }) =>
        JSON.stringify({ ...(JSON.parse(text) as object), name: now?.name ?? then?.name }),
      );
    deps.folder.writeList(`${kind}-${role}`, lines.toSorted());
    lengths[`${kind}-${role}`] = lines.length;
  }
  return lengths;
}

/** The records that the administrator removed from the lists: they become as they were then. */
function askedRecords(folder: RestoreFolder, role: string): ReadonlySet<string> {
  const lines = recordLists(role).flatMap((name) => folder.removedLines(name));
  return new Set(
    lines.map((line) => {
      const { name: _, ...record } = JSON.parse(line) as { readonly name?: string };
      return JSON.stringify(record);
    }),
  );
}

const keysIn = (record: FoundRecord | undefined) => [...(record?.items.values() ?? [])].map(({ key }) => key);

/** The items of a tenant with the roots that the restored records need. */
function mergedItems(now: readonly RawItem[], then: readonly RawItem[]): readonly RawItem[] {
  const tenantIn = (items: readonly RawItem[]) => {
    const item = items.find(({ sk }) => sk?.S === 'tenant');
    return item && readTenantItem(unmarshall({ ...item }));
  };
  const current = tenantIn(now);
  const former = tenantIn(then);
  if (current === undefined || former === undefined) return now;
  const merged = mergeTenant(current, former);
  return [tenantItemOf(merged), ...ALL_COPIES.map((copy) => basicsItemOf(merged, copy))].map((item) =>
    marshall(item, { removeUndefinedValues: true }),
  );
}

async function itemsByRecord(
  deps: RestoreDeps,
  table: string,
  keys: Iterable<RawItem>,
): Promise<ReadonlyMap<string | undefined, readonly RawItem[]>> {
  return Map.groupBy(await readAll(deps, table, keys), recordOf);
}

/**
 * The restored state of the trail stays if the table has lost it: an older one is better than none.
 * A lost pointer does not come back: the next root makes another deployment key.
 */
const isCarried = ({ text, kind }: RecordChange, asked: ReadonlySet<string>) =>
  text === TRAIL ? kind !== 'deleted' : !asked.has(text);

/**
 * Gives a copy the records that stay as they are now. Can be repeated: it compares what the two
 * tables have at that moment.
 */
export async function carryRecords(deps: RestoreDeps, { role, name, copy }: TableState): Promise<void> {
  const asked = askedRecords(deps.folder, role);
  const changes = changesBetween(await readRecords(deps, name), await readRecords(deps, copy)).filter(
    (change) => isCarried(change, asked),
  );
  const current = await itemsByRecord(
    deps,
    name,
    changes.flatMap(({ now }) => keysIn(now)),
  );
  const former = await itemsByRecord(
    deps,
    copy,
    changes.filter(({ text }) => recordIsTenant(text)).flatMap(({ then }) => keysIn(then)),
  );
  function* writes() {
    for (const { text, then } of changes) {
      const items = mergedItems(current.get(text) ?? [], former.get(text) ?? []);
      const stays = new Set(items.map(keyText));
      for (const Item of items) yield { PutRequest: { Item } };
      for (const key of keysIn(then))
        if (!stays.has(keyText(key))) yield { DeleteRequest: { Key: { ...key } } };
    }
  }
  await writeAll(deps, copy, writes());
}

const recordIsTenant = (text: string) => Object.keys(JSON.parse(text) as object).join() === 'tenant_id';

/**
 * Deletes the states of invocations from a copy: their arguments and results were in Ephemeral, so
 * that the states would be wrong.
 */
export async function dropInvocations(deps: RestoreDeps, copy: string): Promise<void> {
  const found: RawItem[] = [];
  const input = {
    TableName: copy,
    ProjectionExpression: 'pk, sk',
    FilterExpression: 'sk = :invocation',
    ExpressionAttributeValues: { ':invocation': { S: 'invocation' } },
  };
  await scanAll(deps, input, (item) => {
    found.push(item);
  });
  await writeAll(
    deps,
    copy,
    found.map((key) => ({ DeleteRequest: { Key: { ...key } } })),
  );
}

export async function hasSealHead(deps: RestoreDeps, table: string): Promise<boolean> {
  const found = await readAll(deps, table, [marshall(SEAL_HEAD_KEY)]);
  return found.some((item) => item['seal'] !== undefined);
}
