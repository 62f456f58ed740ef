import type { RecordContext } from '../crypto/record-seal.ts';
import type { StoredToken } from './token.ts';

/** What a sealed field of a token is bound to: everything in the clear that decides who sees it. */
export type SealedPlace = Pick<
  StoredToken,
  'tenantId' | 'id' | 'type' | 'containers' | 'createdBy' | 'isSolelyOwn' | 'isShared'
>;

function flagsOf({ isSolelyOwn, isShared }: SealedPlace): string {
  return [isSolelyOwn ? 'own' : '', isShared ? 'shared' : ''].filter((flag) => flag !== '').join(' ');
}

/**
 * The context that a field of a token is sealed under (docs/security.md#the-sealed-record). An
 * update does not write the cvc, so that is bound to what no update changes.
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
