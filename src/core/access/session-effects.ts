import type { PortEffects } from '../audit/effect.ts';
import { changedGrants, NO_GRANTS } from './changed-grants.ts';
import type { SessionStore } from './session.ts';

/** This file is apart from the use cases because most functions bundle only the effects. */
export const SESSION_STORE_EFFECTS: PortEffects<SessionStore> = {
  create: ({ id }) => ({ resource: `session:${id}` }),
  authorize: ({ sessionId }, grants) => ({
    resource: `session:${sessionId}`,
    change: { members: ['permissions', 'rules'], ...changedGrants(NO_GRANTS, grants) },
  }),
  findNonce: 'none',
};
