import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../core/shared/service-error.ts';

/**
 * The header with which the edge proves that a request passed through it. The service never
 * forwards it.
 */
export const EDGE_HEADER = 'x-cloakroom-edge';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Throws `forbidden` for a request without one of `secrets`, which the edge sends. Accepts every
 * request if there are none. Takes the same time whichever secret matches.
 */
export function checkEdge(secrets: readonly string[], headers: Readonly<Record<string, string>>): void {
  if (secrets.length === 0) return;
  const received = digest(headers[EDGE_HEADER] ?? '');
  const matches = secrets.filter((secret) => timingSafeEqual(digest(secret), received));
  if (matches.length === 0)
    throw new ServiceError('forbidden', 'The service is reached by its own domain only.');
}
