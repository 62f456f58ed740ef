import type { Caller } from '../applications/application.ts';
import type { StoredToken } from './token.ts';

/**
 * Whether what the caller writes is a private application's own: by its key, not through a session
 * or a reactor.
 */
export function writesAsItself({ type, actsBy }: Pick<Caller, 'type' | 'actsBy'>): boolean {
  return type === 'private' && actsBy === 'own_key';
}

/**
 * Whether the caller is the private application that created the token and alone has ever written
 * its data.
 */
export function isSoleWriter(caller: Caller, token: Pick<StoredToken, 'createdBy' | 'isSolelyOwn'>): boolean {
  return writesAsItself(caller) && token.isSolelyOwn && token.createdBy === caller.applicationId;
}
