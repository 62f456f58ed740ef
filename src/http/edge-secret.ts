import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../core/shared/service-error.ts';

/**
 * The header in which the edge in front of the API proves that a request came through it. It goes
 * no further.
 */
export const EDGE_HEADER = 'x-cloakroom-edge';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Throws `forbidden` for a request that did not come through the edge, which sends one of
 * `secrets`; none if there is no edge. Takes the same time whichever matches.
 */
export function checkEdge(secrets: readonly string[], headers: Readonly<Record<string, string>>): void {
  if (secrets.length === 0) return;
  const given = digest(headers[EDGE_HEADER] ?? '');
  const matches = secrets.filter((secret) => timingSafeEqual(digest(secret), given));
  if (matches.length === 0)
    throw new ServiceError('forbidden', 'The service is reached by its own domain only.');
}
