import type { StoredToken } from './token.ts';

/** The contexts that the fields of a token are sealed under. */
export const sealContext = (
  token: Pick<StoredToken, 'tenantId' | 'id'>,
  field: 'data' | 'details' | 'cvc',
) => ({
  tenantId: token.tenantId,
  recordId: token.id,
  field,
});
