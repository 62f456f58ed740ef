import type { Caller } from '../access/caller.ts';
import type { StoredToken } from './token.ts';

/**
 * Whether the caller is a private application that acts by its own key, and not through a session
 * or a reactor. Then the token that it writes is its own.
 */
export function writesAsItself({ type, actsBy }: Pick<Caller, 'type' | 'actsBy'>): boolean {
  return type === 'private' && actsBy === 'own_key';
}

/**
 * Whether the caller is the private application that created the token, and no other caller has
 * ever written its data.
 */
export function isSoleWriter(caller: Caller, token: Pick<StoredToken, 'createdBy' | 'isSolelyOwn'>): boolean {
  return writesAsItself(caller) && token.isSolelyOwn && token.createdBy === caller.applicationId;
}

/** The write id of the create that made a token, also after other writes changed the token. */
export const createWriteIdOf = ({
  writeId,
  createWriteId = writeId,
}: Pick<StoredToken, 'writeId' | 'createWriteId'>): Buffer => createWriteId;
