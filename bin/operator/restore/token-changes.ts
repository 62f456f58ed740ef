import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { join } from 'node:path';
import { z } from 'zod';
import { parseTokenPartition, tokenKey } from '../../../src/adapters/dynamodb/keys.ts';
import { dueAt, tombstoneOf } from '../../../src/adapters/dynamodb/token-item.ts';
import { LIST_SHARDS } from '../../../src/adapters/dynamodb/token-tables.ts';
import { isServiceId } from '../../../src/core/tokens/service-id.ts';
import { concurrently } from './concurrently.ts';
import { createKeyFiles, pairedRows, type KeyRow } from './key-files.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { scanAll, writeAll, WRITERS, type RawItem } from './scan.ts';

/** Where the rows of a table's tokens are: as of the restore point, and now. */
export const thenFiles = ({ folder }: RestoreDeps): string => join(folder.work, 'then');
export const nowFiles = ({ folder }: RestoreDeps): string => join(folder.work, 'now');

const text = z.object({ S: z.string() });
const number = z.object({ N: z.string() });

const flag = z.object({ BOOL: z.boolean() }).optional();

const scanned = z.object({
  pk: text,
  listPk: text.optional(),
  isGone: flag,
  isLeaving: flag,
  version: number.optional(),
  writeId: z.object({ B: z.instanceof(Uint8Array) }).optional(),
  isShared: flag,
  expiration: z.object({ M: z.object({ at: number }) }).optional(),
});

/**
 * A write of a caller has its own id. A create that found this token as a duplicate makes it
 * shared, which takes rights from its creator.
 */
const stampOf = ({ writeId, isShared }: z.output<typeof scanned>) =>
  `${Buffer.from(writeId?.B ?? []).toString('base64url')}${isShared?.BOOL === true ? '+' : ''}`;

function stateOf({ listPk, isGone, isLeaving }: z.output<typeof scanned>): KeyRow['state'] {
  if (isGone?.BOOL === true) return 'gone';
  if (listPk !== undefined) return 'visible';
  return isLeaving?.BOOL === true ? 'leaving' : 'pending';
}

function rowOf(item: RawItem): KeyRow {
  const read = scanned.parse(item);
  const { pk, version, expiration } = read;
  return {
    pk: pk.S,
    state: stateOf(read),
    version: Number(version?.N ?? 0),
    stamp: stampOf(read),
    expiresAt: expiration === undefined ? null : Number(expiration.M.at.N),
  };
}

/** Reads the tokens and the tombstones of a whole table. */
export async function readTable(deps: RestoreDeps, table: string, folder: string): Promise<void> {
  const files = createKeyFiles(folder);
  const input = {
    TableName: table,
    ProjectionExpression: 'pk, listPk, #expiration, #version, writeId, isShared, isGone, isLeaving',
    FilterExpression: 'sk = :token',
    ExpressionAttributeNames: { '#expiration': 'expiration', '#version': 'version' },
    ExpressionAttributeValues: { ':token': { S: 'token' } },
  };
  await scanAll(deps, input, (item) => {
    files.add(rowOf(item));
  });
  files.end();
}

/**
 * How a token differs from the restore point.
 * - `deleted`: it would come back.
 * - `used`: its id was first used since, so that a tombstone has to remember it.
 * - `begun`: it was being created, and callers have seen its id since.
 * - `changed`: it has other containers, data, mask, terms or rights, or another expiry. The old one
 *   may show more, or to others.
 */
export interface TokenChange {
  readonly kind: 'deleted' | 'used' | 'begun' | 'changed';
  readonly pk: string;
  /** The version that the token has now; 0 if it does not exist. */
  readonly version: number;
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
  return now.stamp === then.stamp ? undefined : 'changed';
}

/** Yields each token that differs between the two folders, which contain its table then and now. */
export function* tokenChanges(then: string, now: string, time: number): Generator<TokenChange> {
  for (const row of pairedRows(then, now)) {
    const kind = changeOf(row.pk, row.then, row.now, time);
    if (kind !== undefined) yield { kind, pk: row.pk, version: row.now?.version ?? 0 };
  }
}

/** The lists of tokens that stay as they are now. */
export const TOKEN_LISTS: readonly string[] = ['deleted-Tokens', 'changed-Tokens'];

const listedToken = z.object({ tenant_id: z.string(), id: z.string() });

/** Formats a token for a list, as JSON without a line break. */
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
): Promise<void> {
  function* puts() {
    for (const pk of partitions) {
      const { tenantId, id } = parseTokenPartition(pk);
      yield { PutRequest: { Item: marshall(tombstoneOf(tenantId, id, LIST_SHARDS)) } };
    }
  }
  await writeAll(deps, copy, puts());
}
