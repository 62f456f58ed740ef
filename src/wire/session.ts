import * as z from 'zod/mini';
import type { Authorization, CreatedSession } from '../core/access/session.ts';
import { defined } from '../core/shared/defined.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { Secret } from '../core/shared/secret.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import { expiresAtMs, grants, grantsOf, grantsWords } from './application.ts';
import { body, described, optional, text, time, type Response } from './parts.ts';
import type { Members } from './words.ts';

/** Body of "authorize session" (docs/contract.md#sessions). */
export const authorizeSessionBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      nonce: text,
      ...grants(),
      expires_at: optional(expiresAtMs),
    }),
    z.transform((raw): Authorization =>
      defined({
        nonce: new Secret(raw.nonce),
        ...grantsOf(raw),
        expiresAtMs: raw.expires_at,
      }),
    ),
  ),
);

/** A session as its creation returns it (docs/contract.md#sessions). */
export const sessionResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      session_key: described(z.string(), 'The API key of the session, once it is authorized.'),
      nonce: described(z.string(), 'A server authorizes the session with it.'),
      expires_at: time(),
    })
    .check(
      z.meta({
        id: 'Session',
        description: 'A session has no access until it is authorized.',
        examples: [
          { session_key: 'key_session_...', nonce: '4sVx...', expires_at: '2026-11-21T10:18:30.123+00:00' },
        ],
      }),
    ),
);

/** Builds the only response that shows the key and the nonce of a session. */
export const presentSession = (session: CreatedSession): Response<typeof sessionResponse> => ({
  session_key: session.key.reveal(),
  nonce: session.nonce.reveal(),
  expires_at: formatTimestamp(session.expiresAtMs),
});

export const authorizeSessionWords = (): Members => ({
  nonce: 'The nonce of the session.',
  ...grantsWords(),
  expires_at: 'ISO 8601; the end of the session.',
});
