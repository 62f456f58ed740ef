import { isEqualJson, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { defaultIndexesOf } from '../../../src/core/tokens/token-details.ts';
import { tokenType, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import type { ShownToken } from '../service.ts';

/** These members decide who sees which part of a token. The service shows them. */
export type Description = Pick<
  ShownToken,
  'type' | 'containers' | 'mask' | 'search_indexes' | 'fingerprint_expression'
>;

const textsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter((each) => typeof each === 'string') : [];

/** The description of the token that a body makes. The defaults of its type fill the gaps. */
export function describedBy(body: JsonObject): Description {
  const type = body['type'] as TokenTypeName;
  const defaults = tokenType(type);
  const containers = textsOf(body['containers']).map((each) => each.toLowerCase());
  const { mask = defaults.mask, fingerprint_expression: expression, search_indexes: indexes } = body;
  const details = body['mask'] === undefined ? {} : { mask };
  return {
    type,
    containers: containers.length === 0 ? defaults.containers : containers,
    ...(mask !== null && { mask }),
    fingerprint_expression: typeof expression === 'string' ? expression : defaults.fingerprintExpression,
    search_indexes: indexes === undefined ? defaultIndexesOf(defaults, details) : textsOf(indexes),
  };
}

const comparable = (description: Description): JsonObject => ({
  type: description.type,
  containers: [...description.containers].sort(),
  mask: description.mask ?? null,
  search_indexes: [...(description.search_indexes ?? [])].sort(),
  fingerprint_expression: description.fingerprint_expression ?? null,
});

/**
 * Whether a token is described as the row says. One with another container, mask or index shows
 * what it has to others than the row means: someone else may have made it under this id.
 */
export const isDescribedAs = (body: JsonObject, shown: ShownToken): boolean =>
  isEqualJson(comparable(describedBy(body)), comparable(shown));
