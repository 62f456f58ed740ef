import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { SESSION_LIMITS } from '../../../src/core/access/session.ts';
import { sessionResponse } from '../../../src/wire/session.ts';
import { duration } from '../../../src/wire/words.ts';

export const description: OperationDescription = {
  sdk: 'sessions.create',
  recorded: { by: 'page', turn: 1, makes: ['nonce', 'nonce'] },
  does: 'Returns `{ session_key, nonce, expires_at }`; the session lasts three minutes and has no access yet',
  by: 'a public key',
  tag: 'Sessions',
  summary: 'Create a session',
  description: `With a public key and no body. The session ends after ${duration(SESSION_LIMITS.lifetimeMs)} and has no access until a server authorizes it. The service ignores an idempotency key: each request makes another session.`,
  response: {
    description: 'The session: its key, and the nonce for its authorization.',
    schema: sessionResponse(),
  },
};
