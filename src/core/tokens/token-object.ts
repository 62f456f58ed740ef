import { defined } from '../shared/defined.ts';
import type { JsonObject } from '../shared/json.ts';
import { formatTimestamp } from '../shared/timestamp.ts';
import type { StoredToken, TokenView } from './token.ts';
import { descriptionOf } from './token-details.ts';
import { tokenType } from './token-type.ts';

type Clear = Pick<
  StoredToken,
  | 'id'
  | 'tenantId'
  | 'type'
  | 'containers'
  | 'expiration'
  | 'createdBy'
  | 'createdAt'
  | 'modifiedBy'
  | 'modifiedAt'
>;

/**
 * The members that reveal nothing of the content. An update without `token:read` returns only these
 * (docs/contract.md#update-a-token).
 */
export function clearMembers(token: Clear): JsonObject {
  return defined({
    id: token.id,
    tenant_id: token.tenantId,
    type: token.type,
    containers: token.containers,
    expires_at: token.expiration && formatTimestamp(token.expiration.at, token.expiration.offsetMinutes),
    created_by: token.createdBy,
    created_at: formatTimestamp(token.createdAt),
    modified_by: token.modifiedBy,
    modified_at: token.modifiedAt === undefined ? undefined : formatTimestamp(token.modifiedAt),
  });
}

/**
 * The Token object of the API (docs/contract.md#the-token-object). Only these members of a token
 * can leave the service.
 */
export function tokenObject(token: TokenView): JsonObject {
  return defined({
    ...clearMembers(token),
    fingerprint: token.fingerprint,
    data: token.data?.reveal(),
    ...(token.description && descriptionOf(token.description)),
    _extras: token.omitted && { omitted: token.omitted },
  });
}

/** The Token object with the enrichments of its type, which only expressions can read. */
export function enrichedTokenObject(token: TokenView): JsonObject {
  const shown = token.data?.reveal();
  const enrichments = shown === undefined ? undefined : tokenType(token.type).enrich?.(shown);
  return { ...tokenObject(token), ...(enrichments && { enrichments }) };
}
