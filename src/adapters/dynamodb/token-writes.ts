import { UpdateCommand, type DeleteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { TransactWriteItem } from './table-client.ts';
import type { UnprovenToken, UnprovenSummary } from '../../core/tokens/token.ts';
import type { StoredCvc, TokenWrite } from '../../core/tokens/token-store.ts';
import { cvcKey, lockKey, termKey, tokenKey, type ItemKey } from './keys.ts';
import {
  ATTRIBUTES_OF_TOKENS,
  dueAt,
  entryMembers,
  tombstoneMark,
  timeToLive,
  tokenItemOf,
  tokenTimeToLive,
  type Unfinished,
} from './token-item.ts';
import { dataPartKeys, dataParts, summaryOf, oldDataPartKeys } from './token-parts.ts';
import type { TokenTables } from './token-tables.ts';

/** The time limit of a multi-step write, in ms from its start. Others may remove it afterwards. */
export const UNFINISHED_MS = 60_000;

type TokenIdentity = Pick<UnprovenToken, 'tenantId' | 'id'>;
type DeletedToken = TokenIdentity & Pick<UnprovenToken, 'writeId' | 'createWriteId'>;
/** The attributes that an index entry has of a token. */
type ListedToken = TokenIdentity &
  Pick<UnprovenToken, 'position' | 'type' | 'containers' | 'expiration' | 'hasMask'>;

/** Builds the single writes that the writer combines. */
// oxlint-disable-next-line max-lines-per-function -- a list of builders, one for each kind of write
export function tokenWrites({ tokensTable, ephemeralTable, listShards, platform }: TokenTables) {
  const put = (table: string, item: Readonly<Record<string, unknown>>): TransactWriteItem => ({
    Put: { TableName: table, Item: item },
  });
  const remove = (table: string, key: ItemKey): TransactWriteItem => ({
    Delete: { TableName: table, Key: key },
  });
  const keyOf = ({ tenantId, id }: TokenIdentity) => ({
    TableName: tokensTable,
    Key: tokenKey(tenantId, id),
  });

  const markOf = ({ tenantId, id }: TokenIdentity) =>
    tombstoneMark(tenantId, id, listShards, platform.clock());
  const tombstone = (token: DeletedToken) => ({
    ...tokenKey(token.tenantId, token.id),
    ...markOf(token),
    createWriteId: token.createWriteId ?? token.writeId,
  });

  return {
    /** Writes the token itself, under a condition. */
    token(
      token: UnprovenToken,
      condition: string,
      values: Readonly<Record<string, unknown>> = {},
      unfinished?: Unfinished,
    ) {
      return {
        TableName: tokensTable,
        Item: tokenItemOf(summaryOf(token), listShards, unfinished),
        ConditionExpression: condition,
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      };
    },

    /** Writes the parts of a large token's data. */
    parts(token: UnprovenToken): TransactWriteItem[] {
      const ttl = tokenTimeToLive(token);
      return dataParts(token).map((part) => put(tokensTable, { ...part, ttl }));
    },

    removeParts(token: UnprovenSummary): TransactWriteItem[] {
      return dataPartKeys(token).map((key) => remove(tokensTable, key));
    },

    /** Deletes this number of parts of the previous version. */
    removeOldParts(
      token: TokenIdentity & Pick<UnprovenToken, 'version'>,
      count: number,
    ): TransactWriteItem[] {
      return oldDataPartKeys(token, count).map((key) => remove(tokensTable, key));
    },

    cvc({ tenantId, id }: TokenIdentity, { encryptedCvc, until }: StoredCvc): TransactWriteItem {
      return put(ephemeralTable, {
        ...cvcKey(tenantId, id),
        encryptedCvc,
        until,
        ttl: timeToLive(until),
        ...dueAt(id, until),
      });
    },

    removeCvc({ tenantId, id }: TokenIdentity): TransactWriteItem {
      return remove(ephemeralTable, cvcKey(tenantId, id));
    },

    entry(token: ListedToken, term: string): TransactWriteItem {
      return put(tokensTable, {
        ...termKey(token.tenantId, term, token.position),
        ...entryMembers(token),
        ttl: tokenTimeToLive(token),
      });
    },

    removeEntry(token: Pick<UnprovenToken, 'tenantId' | 'position'>, term: string): TransactWriteItem {
      return remove(tokensTable, termKey(token.tenantId, term, token.position));
    },

    /**
     * Takes the lock of the token's match hash. Succeeds if no live token holds it, or the token
     * itself does. `lockOf` is the former owner, which the caller found to be gone.
     */
    lock({ token, lockOf }: TokenWrite): TransactWriteItem {
      const values = { ':self': token.id, ...(lockOf === undefined ? {} : { ':gone': lockOf }) };
      const gone = lockOf === undefined ? '' : ' OR tokenId = :gone';
      return {
        Put: {
          TableName: tokensTable,
          Item: {
            ...lockKey(token.tenantId, token.matchHash),
            tokenId: token.id,
            ttl: tokenTimeToLive(token),
          },
          ConditionExpression: `attribute_not_exists(pk) OR tokenId = :self${gone}`,
          ExpressionAttributeValues: values,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      };
    },

    /** Deletes the lock if the token still owns it. */
    removeLock(token: Pick<UnprovenToken, 'tenantId' | 'id' | 'matchHash'>): TransactWriteItem {
      return {
        Delete: {
          TableName: tokensTable,
          Key: lockKey(token.tenantId, token.matchHash),
          ConditionExpression: 'attribute_not_exists(pk) OR tokenId = :self',
          ExpressionAttributeValues: { ':self': token.id },
        },
      };
    },

    /** Makes an unchanged token invisible, and due for removal immediately. */
    hide(token: TokenIdentity & Pick<UnprovenToken, 'version' | 'writeId'>, now: number): UpdateCommand {
      const { duePk, dueSk } = dueAt(token.id, now);
      return new UpdateCommand({
        ...keyOf(token),
        UpdateExpression:
          'SET pending = :yes, isLeaving = :yes, duePk = :duePk, dueSk = :dueSk REMOVE listPk, listSk',
        ConditionExpression: UNCHANGED,
        ExpressionAttributeValues: {
          ...unchangedValues(token),
          ':yes': true,
          ':duePk': duePk,
          ':dueSk': dueSk,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
    },

    /** Marks the removal of a token that never became visible. Does nothing to any other token. */
    cancel(token: TokenIdentity & PendingToken): UpdateCommand {
      const condition = neverVisible(token);
      return new UpdateCommand({
        ...keyOf(token),
        UpdateExpression: 'SET isCancelled = :yes',
        ...condition,
        ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ':yes': true },
      });
    },

    key: keyOf,

    /** Lets a transaction pass only if the token's item is as the condition says. */
    check(token: TokenIdentity, condition: RequiredCondition): TransactWriteItem {
      return { ConditionCheck: { ...keyOf(token), ...condition } };
    },

    /** Replaces a token by its tombstone. */
    deletion(token: DeletedToken, condition: Condition): TransactWriteItem {
      return { Put: { TableName: tokensTable, Item: tombstone(token), ...condition } };
    },

    /**
     * Does the same as {@link deletion} to a token that was not read. It removes every attribute
     * but the write id of the create, which only the item has.
     */
    blindDeletion(token: TokenIdentity, condition: Condition): UpdateCommand {
      const mark = Object.entries(markOf(token));
      const removed = ATTRIBUTES_OF_TOKENS.filter((name) => !mark.some(([set]) => set === name));
      const set = [
        'createWriteId = if_not_exists(createWriteId, writeId)',
        ...mark.map(([name]) => `#${name} = :${name}`),
      ];
      return new UpdateCommand({
        ...keyOf(token),
        ...condition,
        UpdateExpression: `SET ${set.join(', ')} REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
        ExpressionAttributeNames: {
          ...condition.ExpressionAttributeNames,
          ...Object.fromEntries(
            [...mark.map(([name]) => name), ...removed].map((name) => [`#${name}`, name]),
          ),
        },
        ExpressionAttributeValues: {
          ...condition.ExpressionAttributeValues,
          ...Object.fromEntries(mark.map(([name, value]) => [`:${name}`, value])),
        },
      });
    },
  };
}

/** A condition of a write, with the names and values in it. */
export type Condition = Pick<
  DeleteCommandInput,
  | 'ConditionExpression'
  | 'ExpressionAttributeNames'
  | 'ExpressionAttributeValues'
  | 'ReturnValuesOnConditionCheckFailure'
>;

/** A {@link Condition} that is not empty, and returns the item that it found instead. */
export interface RequiredCondition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, unknown>;
  readonly ReturnValuesOnConditionCheckFailure: 'ALL_OLD';
}

type PendingToken = Pick<UnprovenToken, 'writeId' | 'position'>;

/**
 * Names one attempt at a create. Its repeats under an idempotency key have its write id, and each
 * has a position of its own.
 */
const pendingAt = ({ writeId, position }: PendingToken, condition: string): RequiredCondition => ({
  ConditionExpression: `writeId = :writeId AND #position = :position AND attribute_exists(pending) AND ${condition}`,
  ExpressionAttributeNames: { '#position': 'position' },
  ExpressionAttributeValues: { ':writeId': writeId, ':position': position },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

/** The token is pending, and its removal has not begun. */
export const beingCreated = (token: PendingToken): RequiredCondition =>
  pendingAt(token, 'attribute_not_exists(isCancelled) AND attribute_not_exists(isLeaving)');

/** The token never became visible. */
export const neverVisible = (token: PendingToken): RequiredCondition =>
  pendingAt(token, 'attribute_not_exists(isLeaving)');

/** The token is being removed, so nothing can add an entry or make it visible. */
export const beingRemoved = (token: PendingToken): RequiredCondition =>
  pendingAt(token, '(attribute_exists(isCancelled) OR attribute_exists(isLeaving))');

/**
 * This version has `staleTerms`, and the writer that `changeId` names still settles them. Without a
 * `changeId` it is the writer of the version.
 */
export const unsettled = (
  token: Pick<UnprovenToken, 'version' | 'writeId'>,
  changeId: Buffer | undefined,
): RequiredCondition => ({
  ConditionExpression: `version = :version AND writeId = :writeId AND attribute_exists(staleTerms) AND ${changeId === undefined ? 'attribute_not_exists(changeId)' : 'changeId = :changeId'}`,
  ExpressionAttributeValues: {
    ...unchangedValues(token),
    ...(changeId && { ':changeId': changeId }),
  },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

/**
 * The condition that a token is the version that was read, and that no write of it is unfinished.
 */
export const UNCHANGED =
  'version = :version AND writeId = :writeId AND attribute_not_exists(staleTerms) AND attribute_not_exists(pending)';

export const unchangedValues = (token: Pick<UnprovenToken, 'version' | 'writeId'>) => ({
  ':version': token.version,
  ':writeId': token.writeId,
});

export type TokenWrites = ReturnType<typeof tokenWrites>;
