import { invalid } from '../core/shared/service-error.ts';
import type { ApiRequest } from './api-request.ts';
import type { Route } from './route.ts';

/** Matches one strong entity tag (RFC 9110, 8.8.3). */
const STRONG_TAG = /^"[\x21\x23-\x7e]*"$/;

/**
 * The condition of a request (docs/contract.md#conditions); `undefined` without one. A caller that
 * sends it expects no change of another state, so it is never ignored. Throws `validation_failed`
 * for another form, and for an operation that has no such condition. Of the proxy, the header is
 * for its destination.
 */
export function readCondition(
  { takesCondition, passesOn }: Pick<Route<never>, 'takesCondition' | 'passesOn'>,
  { headers }: Pick<ApiRequest, 'headers'>,
): string | undefined {
  const value = headers['if-match'];
  if (value === undefined || passesOn === true) return undefined;
  if (takesCondition !== true) throw invalid('If-Match', 'is not a header of this operation');
  if (value !== '*' && !STRONG_TAG.test(value))
    throw invalid('If-Match', 'must be one strong entity tag, as a response has it in ETag, or *');
  return value;
}
