import { ConditionalCheckFailedException, paginateQuery, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { join } from 'node:path';
import { z } from 'zod';
import {
  DUE_PARTITIONS,
  INDEXES,
  parseTokenPartition,
  tokenKey,
} from '../../../src/adapters/dynamodb/keys.ts';
import { dueAt, tombstoneOf } from '../../../src/adapters/dynamodb/token-item.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import { isServiceId } from '../../../src/core/tokens/service-id.ts';
import { concurrently } from './concurrently.ts';
import { createKeyFiles, pairedRows, type KeyRow } from './key-files.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { readAll, scanAll, writeAll, WRITERS, type RawItem } from './scan.ts';

/** Where the rows of a table's tokens are: as of the restore point, and now. */
export const thenFiles = ({ folder }: RestoreDeps): string => join(folder.work, 'then');
export const nowFiles = ({ folder }: RestoreDeps): string => join(folder.work, 'now');

const text = z.object({ S: z.string() });
const number = z.object({ N: z.string() });

const flag = z.object({ BOOL: z.boolean() }).optional();

const scanned = z.object({
  pk: text,
  listPk: text.optional(),
  pending: flag,
  isLeaving: flag,
  version: number.optional(),
  expiration: z.object({ M: z.object({ at: number }) }).optional(),
  containers: z.object({ L: z.array(text) }).optional(),
});

const TENANT_ID_LENGTH = 36;

function rowOf(item: RawItem): KeyRow {
  const { pk, listPk, isLeaving, version, expiration, containers } = scanned.parse(item);
  const listed = listPk?.S.startsWith('#gone#', TENANT_ID_LENGTH) === true ? 'gone' : 'visible';
  const hidden = isLeaving?.BOOL === true ? 'leaving' : 'pending';
  return {
    pk: pk.S,
    state: listPk === undefined ? hidden : listed,
    version: Number(version?.N ?? 0),
    expiresAt: expiration === undefined ? null : Number(expiration.M.at.N),
    containers: JSON.stringify(containers?.L.map(({ S }) => S).toSorted() ?? []),
  };
}

const NAMES = { '#expiration': 'expiration' };
const LISTED = 'pk, listPk, #expiration, containers';

/** Reads the tokens and the tombstones of a whole table, with their versions. */
export async function readTable(deps: RestoreDeps, table: string, folder: string): Promise<void> {
  const files = createKeyFiles(folder);
  const input = {
    TableName: table,
    ProjectionExpression: `${LISTED}, #version, pending, isLeaving`,
    FilterExpression: 'sk = :token',
    ExpressionAttributeNames: { ...NAMES, '#version': 'version' },
    ExpressionAttributeValues: { ':token': { S: 'token' } },
  };
  await scanAll(deps, input, (item) => {
    files.add(rowOf(item));
  });
  files.end();
}

/** Unfinished writes are due within this time, in ms. */
const UNFINISHED_MS = 15 * 60_000;

/** The tokens whose deletion is unfinished. They are in the due index and not in the list. */
async function* leavingTokens(deps: RestoreDeps, table: string): AsyncGenerator<RawItem> {
  for (const partition of DUE_PARTITIONS) {
    const query = {
      TableName: table,
      IndexName: INDEXES.due,
      KeyConditionExpression: 'duePk = :partition AND dueSk <= :soon',
      ExpressionAttributeValues: {
        ':partition': { S: partition },
        ':soon': { S: sortableTime(deps.clock() + UNFINISHED_MS) },
      },
    };
    for await (const { Items: items = [] } of paginateQuery({ client: deps.dynamodb }, query)) {
      const keys = items.map((item) => ({ pk: item['pk'] ?? NOTHING, sk: item['sk'] ?? NOTHING }));
      const found = await readAll(deps, table, keys);
      yield* found.filter((item) => item['isLeaving']?.BOOL === true);
    }
  }
}

const NOTHING = { S: '' };

/**
 * Reads the same from the list index, which is much smaller and has no versions, and from the due
 * index, which has the tokens that are being deleted.
 */
export async function readIndexes(deps: RestoreDeps, table: string, folder: string): Promise<void> {
  const files = createKeyFiles(folder);
  const input = {
    TableName: table,
    IndexName: INDEXES.list,
    ProjectionExpression: LISTED,
    ExpressionAttributeNames: NAMES,
  };
  await scanAll(deps, input, (item) => {
    files.add(rowOf(item));
  });
  for await (const item of leavingTokens(deps, table)) files.add(rowOf(item));
  files.end();
}

/**
 * How a token differs from the restore point.
 * - `deleted`: it would come back.
 * - `used`: its id was first used since, so that a tombstone has to remember it.
 * - `begun`: it was being created, and callers have seen its id since.
 * - `moved`: it is in other containers or expires earlier, so that others can see the old one, or
 *   for longer.
 * - `reverted`: it returns to its old content.
 */
export interface TokenChange {
  readonly kind: 'deleted' | 'used' | 'begun' | 'moved' | 'reverted';
  readonly pk: string;
}

const endOf = ({ expiresAt }: KeyRow): number => expiresAt ?? Infinity;

const isSeen = (now: KeyRow | undefined) => now !== undefined && now.state !== 'pending';

function changeOf(pk: string, then: KeyRow | undefined, now: KeyRow | undefined, time: number) {
  if (then === undefined) {
    const { tenantId, id } = parseTokenPartition(pk);
    // No caller can choose an id of the service, so nothing has to remember it.
    return isSeen(now) && !isServiceId(tenantId, id) ? 'used' : undefined;
  }
  if (then.state === 'pending') return isSeen(now) ? 'begun' : undefined;
  // The sweep removes an expired token, and no request sees it until then.
  if (then.state !== 'visible' || endOf(then) <= time) return undefined;
  if (now?.state !== 'visible') return 'deleted';
  if (now.containers !== then.containers || endOf(now) < endOf(then)) return 'moved';
  return now.version !== 0 && now.version !== then.version ? 'reverted' : undefined;
}

/** The differences between the files of a table then and now. */
export function* tokenChanges(then: string, now: string, time: number): Generator<TokenChange> {
  for (const row of pairedRows(then, now)) {
    const kind = changeOf(row.pk, row.then, row.now, time);
    if (kind !== undefined) yield { kind, pk: row.pk };
  }
}

/** The lists of tokens that stay as they are now. */
export const TOKEN_LISTS: readonly string[] = ['deleted-Tokens', 'changed-Tokens'];

const listedToken = z.object({ tenant_id: z.string(), id: z.string() });

/** A token in a list. */
export function tokenLine(pk: string): string {
  const { tenantId, id } = parseTokenPartition(pk);
  return JSON.stringify({ tenant_id: tenantId, id });
}

export function partitionOfLine(line: string): string {
  const { tenant_id: tenantId, id } = listedToken.parse(JSON.parse(line));
  return tokenKey(tenantId, id).pk;
}

/**
 * Makes tokens of a copy look like interrupted deletions: no request sees them, and the sweep
 * removes them with all their items.
 */
export async function hideTokens(
  deps: RestoreDeps,
  copy: string,
  partitions: Iterable<string>,
): Promise<void> {
  await concurrently(partitions, WRITERS, async (pk) => {
    const { tenantId, id } = parseTokenPartition(pk);
    const { duePk, dueSk } = dueAt(id, deps.clock());
    const command = new UpdateItemCommand({
      TableName: copy,
      Key: marshall(tokenKey(tenantId, id)),
      UpdateExpression:
        'SET pending = :yes, isLeaving = :yes, duePk = :duePk, dueSk = :dueSk REMOVE listPk, listSk',
      ConditionExpression: 'attribute_exists(writeId)',
      ExpressionAttributeValues: marshall({ ':yes': true, ':duePk': duePk, ':dueSk': dueSk }),
    });
    try {
      await deps.dynamodb.send(command);
    } catch (error) {
      // It expired in the meantime.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  });
}

/** Leaves a tombstone for each id, so that it never names another token. */
export async function rememberIds(
  deps: RestoreDeps,
  copy: string,
  partitions: Iterable<string>,
  listShards: number,
): Promise<void> {
  function* puts() {
    for (const pk of partitions) {
      const { tenantId, id } = parseTokenPartition(pk);
      yield { PutRequest: { Item: marshall(tombstoneOf(tenantId, id, listShards)) } };
    }
  }
  await writeAll(deps, copy, puts());
}
