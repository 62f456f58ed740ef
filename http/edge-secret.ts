import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../core/shared/service-error.ts';

/** The header in which the edge in front of the API proves that a request came through it. It goes no further. */
export const EDGE_HEADER = 'x-cloakroom-edge';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Throws `forbidden` for a request that did not come through the edge, where there is one (`secret` is not empty). */
export function checkEdge(secret: string, headers: Readonly<Record<string, string>>): void {
  if (secret === '') return;
  if (!timingSafeEqual(digest(secret), digest(headers[EDGE_HEADER] ?? '')))
    throw new ServiceError('forbidden', 'The service is reached by its own domain only.');
}
