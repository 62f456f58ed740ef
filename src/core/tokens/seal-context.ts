import type { RecordContext } from '../crypto/record-seal.ts';
import type { StoredToken } from './token.ts';

/** The clear fields that a token's sealed fields are bound to: they decide who sees the data. */
export type SealedPlace = Pick<
  StoredToken,
  'tenantId' | 'id' | 'type' | 'containers' | 'createdBy' | 'isSolelyOwn' | 'isShared'
>;

function flagsOf({ isSolelyOwn, isShared }: SealedPlace): string {
  return [isSolelyOwn ? 'own' : '', isShared ? 'shared' : ''].filter((flag) => flag !== '').join(' ');
}

/**
 * The context that a field of a token is sealed under (docs/security.md#the-sealed-record). An
 * update does not write the cvc, so the cvc is bound only to fields that no update changes.
 */
export function sealContext(token: SealedPlace, field: 'data' | 'details' | 'cvc'): RecordContext {
  const access = [token.createdBy, flagsOf(token), ...token.containers];
  return {
    tenantId: token.tenantId,
    recordId: token.id,
    field,
    bound: [token.type, ...(field === 'cvc' ? [] : access)],
  };
}
