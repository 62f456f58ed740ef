import { formatTimestamp } from '../../core/shared/timestamp.ts';
import type { TokenView } from '../../core/tokens/token.ts';
import { defined } from '../../http/schemas.ts';

/** The Token object (spec.md): the only members of a token that can leave. */
export function presentToken(token: TokenView) {
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

/** An answer without any cvc, which must not outlive its hour in a kept answer (decisions.md, section 1). */
export function withoutCvc(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutCvc);
  if (typeof body !== 'object' || body === null) return body;
  const isCard = 'type' in body && body.type === 'card' && 'data' in body;
  const entries = Object.entries(body).map(([name, value]: [string, unknown]) => {
    if (isCard && name === 'data' && typeof value === 'object' && value !== null) {
      return [
        name,
        Object.fromEntries(Object.entries(value).filter(([member]) => member !== 'cvc')),
      ] as const;
    }
    return [name, withoutCvc(value)] as const;
  });
  return Object.fromEntries(entries);
}
