import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { authorizeSessionWords } from '../../../src/wire/session.ts';
import { EITHER } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'sessions.authorize',
  recorded: { by: 'shop', turn: 1 },
  does: 'Grants a session access by `{ nonce, permissions, rules, expires_at }`, once, and at most what the application has',
  by: 'a private key',
  tag: 'Sessions',
  summary: 'Authorize a session',
  description: `With a private key, once. The session gets no more access than the application itself has. ${EITHER}`,
  members: authorizeSessionWords(),
  requests: {
    one: {
      summary: 'One token, masked',
      value: {
        nonce: 'n0nce...',
        rules: [
          {
            priority: 1,
            conditions: [
              { attribute: 'id', operator: 'equals', value: '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8' },
            ],
            transform: 'mask',
            permissions: ['token:read'],
          },
        ],
      },
    },
  },
  response: { description: 'The session is authorized. The body is empty.' },
  failures: {
    404: 'The nonce is unknown.',
    409: 'The nonce was used, or a request with the same idempotency key is still running.',
  },
};
