import type { Clock } from '../../core/shared/clock.ts';
import type { Container } from '../../core/shared/container.ts';
import type { TokenStore } from '../../core/tokens/token-store.ts';
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

/** The condition under which one call can delete a token: see `TokenStore.deleteIfStandalone`. */
function aloneBelow(below: readonly Container[], now: number) {
  const containers = below.map((container, index) => [`:container${String(index)}`, container] as const);
  const inside = containers.map(([name]) => `begins_with(containers[0], ${name})`).join(' OR ');
  return {
    ConditionExpression: [
      STANDS_ALONE.condition,
      '(attribute_not_exists(expiration) OR expiration.#at > :now)',
      'size(containers) = :one',
      `(${inside})`,
    ].join(' AND '),
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: {
      ...STANDS_ALONE.values,
      ...{ ':now': now, ':one': 1 },
      ...Object.fromEntries(containers),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** Most containers in one condition, which is at most 4 KB long (AWS). */
const BELOW_MAX = 50;

function createDeleteAlone(tables: TokenTables, reader: TokenReader): Pick<TokenStore, 'deleteIfStandalone'> {
  const { client } = tables;
  const writes = tokenWrites(tables);
  return {
    async deleteIfStandalone(tenantId, id, { below, now }) {
      if (!canBeInKey(id)) return { remaining: undefined };
      if (below.length === 0 || below.length > BELOW_MAX)
        return { remaining: await reader.find(tenantId, id) };
      const outcome = await conditionalWrite(
        client,
        writes.deletionCommand({ tenantId, id }, aloneBelow(below, now)),
      );
      if (outcome === 'written') return 'deleted';
      const { found, mayBeOwn } = outcome;
      if (found === undefined || isTombstone(found)) return mayBeOwn ? 'deleted' : { remaining: undefined };
      return { remaining: (await reader.tokenOf(readTokenItem(found))) ?? (await reader.find(tenantId, id)) };
    },
  };
}

/** Tokens in DynamoDB. `docs/storage.md` lists each access pattern with its calls and units. */
export function createTokenStore(tables: TokenTables, clock: Clock): TokenStore {
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
