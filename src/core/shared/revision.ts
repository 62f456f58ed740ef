import type { Platform } from './platform.ts';
import { ServiceError } from './service-error.ts';

/** A resource that callers change. */
export interface Revised {
  readonly id: string;
  /**
   * Increases with each change by a caller or an operator, also of what no response shows. What the
   * service does by itself leaves it.
   */
  readonly revision: number;
}

type Random = Pick<Platform['random'], 'integer'>;

/**
 * The first revision of a resource. It is random: a retried creation may make a resource again
 * under the same id after it was deleted, and no tag of the first one is one of the second.
 */
export const firstRevision = ({ integer }: Random): number => integer(2 ** 47);

/**
 * The revision after a change. Its step is random: a resource that a restore sets back goes on to
 * other states, which have none of the tags that the former ones had.
 */
export const nextRevision = ({ integer }: Random, { revision }: Pick<Revised, 'revision'>): number =>
  revision + 1 + integer(2 ** 31);

/** A request may be meant for one state of a resource alone. */
export interface Conditional {
  /** The entity tag of that state, or `*` for any, as `If-Match` has it. Absent without one. */
  readonly ifMatch?: string;
}

/** Returns the strong entity tag of a state, the same for every caller (RFC 9110, 8.8.3). */
export const entityTag = ({ id, revision }: Revised): string => `"${id}.${String(revision)}"`;

/** Whether a request is meant for the current state. */
export const isMeantFor = ({ ifMatch = '*' }: Conditional, current: Revised): boolean =>
  ifMatch === '*' || ifMatch === entityTag(current);

/**
 * Throws `precondition_failed` if a request is meant for another state. It is asked last, after all
 * that would be an error anyway (RFC 9110, 13.2.1), and the change is then written on `current`.
 */
export function requireMatch(request: Conditional, current: Revised): void {
  if (isMeantFor(request, current)) return;
  throw new ServiceError(
    'precondition_failed',
    'It was changed since it had the entity tag in If-Match: read it again.',
  );
}
