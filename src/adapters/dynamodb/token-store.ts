import type { Clock } from '../../core/shared/clock.ts';
import type { UnprovenTokenStore } from '../../core/tokens/token-store.ts';
import { canBeInKey } from './keys.ts';
import { createTokenCandidates } from './token-candidates.ts';
import { isTombstone, readTokenItem } from './token-item.ts';
import { createTombstones } from './tombstones.ts';
import { createTokenReader, type TokenReader } from './token-reader.ts';
import { STANDS_ALONE } from './token-removal.ts';
import type { TokenTables } from './token-tables.ts';
import { createTokenWriter } from './token-writer.ts';
import { tokenWrites } from './token-writes.ts';
import { conditionalWrite } from './conditional-write.ts';

/** The condition under which one call can delete a token (`deleteIfStandalone` of the store). */
const standsAlone = (now: number) => ({
  ConditionExpression: `${STANDS_ALONE.condition} AND (attribute_not_exists(expiration) OR expiration.#at > :now)`,
  ExpressionAttributeNames: { '#at': 'at' },
  ExpressionAttributeValues: { ...STANDS_ALONE.values, ':now': now },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

function createDeleteAlone(
  tables: TokenTables,
  reader: TokenReader,
): Pick<UnprovenTokenStore, 'deleteIfStandalone'> {
  const writes = tokenWrites(tables);
  return {
    async deleteIfStandalone(tenantId, id, now) {
      if (!canBeInKey(id)) return { remaining: undefined };
      const outcome = await conditionalWrite(
        tables,
        writes.blindDeletion({ tenantId, id }, standsAlone(now)),
      );
      if (outcome === 'written') return 'deleted';
      const { found, mayBeOwn } = outcome;
      if (found === undefined) return { remaining: undefined };
      // An earlier attempt has left it, and its response was lost.
      if (isTombstone(found)) return mayBeOwn ? 'deleted' : { remaining: undefined };
      return { remaining: (await reader.tokenOf(readTokenItem(found))) ?? (await reader.find(tenantId, id)) };
    },
  };
}

/** Tokens in DynamoDB. `docs/storage.md` lists each access pattern with its calls and units. */
export function createTokenStore(tables: TokenTables, clock: Clock): UnprovenTokenStore {
  const reader = createTokenReader(tables);
  const writer = createTokenWriter(tables, reader, clock);
  return {
    ...reader,
    ...writer,
    ...createTokenCandidates(tables),
    ...createDeleteAlone(tables, reader),
    ...createTombstones(tables),
  };
}
