import { TRANSFORMS, type Transform } from '../core/access/access-rule.ts';
import { notOneOf } from '../core/shared/known-names.ts';
import { invalid } from '../core/shared/service-error.ts';
import type { ApiRequest } from './api-request.ts';
import type { Route } from './route.ts';

/** A request may ask for any transform that shows less than plaintext. */
const RESTRICTING = TRANSFORMS.filter((transform) => transform !== 'reveal');

/** Names that this header, or one like it, has under any prefix. */
const SIMILAR = /(?:^|[-_])transform$/;

/**
 * The most that a request wants to see of stored tokens (docs/contract.md#see-less). A caller that
 * sends the header expects to see less, so a request whose header would have no effect is refused.
 * Throws `validation_failed` for another value, for an operation that does not show stored tokens,
 * and for a header under two prefixes or an unknown one.
 */
export function readTransformHeader(
  { takesTransform }: Pick<Route<never>, 'takesTransform'>,
  { headers, reserved }: Pick<ApiRequest, 'headers' | 'reserved'>,
): Transform | undefined {
  const value = reserved.get('transform');
  const name = reserved.nameOf('transform');
  if (takesTransform !== true) {
    // Other headers of a proxied request are for its destination.
    if (value !== undefined) throw invalid(name, 'is not a header of this operation');
    return undefined;
  }
  const similar = Object.keys(headers).filter((each) => SIMILAR.test(each));
  if (similar.length > 1) throw invalid(name, 'is sent more than once, or with a similar header');
  if (value === undefined && similar.length > 0)
    throw invalid(name, 'is the name of the header, not a similar one');
  if (value === undefined) return undefined;
  const transform = RESTRICTING.find((each) => each === value);
  if (transform === undefined) throw invalid(name, notOneOf(value, RESTRICTING));
  return transform;
}
