import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../core/shared/clock.ts';
import type { Container } from '../../core/shared/container.ts';
import type { TokenStore } from '../../core/tokens/token-store.ts';
import { canBeInKey, tokenKey } from './keys.ts';
import { createTokenCandidates } from './token-candidates.ts';
import { readTokenItem } from './token-item.ts';
import { createTokenReader, type TokenReader } from './token-reader.ts';
import { STANDS_ALONE } from './token-removal.ts';
import type { TokenTables } from './token-tables.ts';
import { createTokenWriter } from './token-writer.ts';
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

function createDeleteAlone(
  { client, tokensTable }: TokenTables,
  reader: TokenReader,
): Pick<TokenStore, 'deleteIfStandalone'> {
  return {
    async deleteIfStandalone(tenantId, id, { below, now }) {
      if (!canBeInKey(id)) return { remaining: undefined };
      if (below.length === 0 || below.length > BELOW_MAX)
        return { remaining: await reader.find(tenantId, id) };
      const key = tokenKey(tenantId, id);
      const command = new DeleteCommand({ TableName: tokensTable, Key: key, ...aloneBelow(below, now) });
      const outcome = await conditionalWrite(client, command);
      if (outcome === 'written') return 'deleted';
      const { found, mayBeOwn } = outcome;
      if (found === undefined) return mayBeOwn ? 'deleted' : { remaining: undefined };
      return { remaining: (await reader.tokenOf(readTokenItem(found))) ?? (await reader.find(tenantId, id)) };
    },
  };
}

/** Tokens in DynamoDB. `docs/storage.md` lists each access pattern with its calls and units. */
export function createTokenStore(tables: TokenTables, clock: Clock): TokenStore {
  const reader = createTokenReader(tables);
  const writer = createTokenWriter(tables, reader, clock);
  return { ...reader, ...writer, ...createTokenCandidates(tables), ...createDeleteAlone(tables, reader) };
}
