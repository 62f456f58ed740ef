import { defined } from '../shared/defined.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { formatTimestamp } from '../shared/timestamp.ts';
import { cardBrand } from './card-brand.ts';
import type { TokenView } from './token.ts';

/** The Token object of the interface (spec.md): the only members of a token that can leave. */
export function tokenObject(token: TokenView): JsonObject {
  return defined({
    id: token.id,
    tenant_id: token.tenantId,
    type: token.type,
    data: token.data?.reveal(),
    mask: token.mask ?? undefined,
    fingerprint: token.fingerprint,
    fingerprint_expression: token.fingerprintExpression,
    containers: token.containers,
    metadata: token.metadata ?? {},
    search_indexes: token.searchIndexes,
    expires_at: token.expiration && formatTimestamp(token.expiration.at, token.expiration.offsetMinutes),
    created_by: token.createdBy,
    created_at: formatTimestamp(token.createdAt),
    modified_by: token.modifiedBy,
    modified_at: token.modifiedAt === undefined ? undefined : formatTimestamp(token.modifiedAt),
  });
}

function cardNumber(token: TokenView): Json | undefined {
  const data = token.data?.reveal();
  if (token.type === 'card_number') return data;
  return token.type === 'card' && data !== undefined && isJsonObject(data) ? data['number'] : undefined;
}

/** The Token object with its enrichments, which exist inside expressions alone: what is known of a card by its first digits. */
export function enrichedTokenObject(token: TokenView): JsonObject {
  const number = cardNumber(token);
  if (typeof number !== 'string' || !/^\d+$/.test(number)) return tokenObject(token);
  return { ...tokenObject(token), enrichments: { bin_details: cardBrand(number) } };
}
