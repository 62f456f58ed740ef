import * as z from 'zod/mini';
import { defined } from '../core/shared/defined.ts';
import { invalid } from '../core/shared/service-error.ts';
import { externalIdParameter } from './external-id.ts';
import { externalIdsOf, idsOf, idsParameter, pageParameters, pageRequestOf, queryOf } from './page.ts';
import { described } from './parts.ts';

/** Longest name that filters a list, in characters. */
export const PATTERN_MAX_LENGTH = 200;

/** The name that filters a list (docs/contract.md#lists); `undefined` without the filter. */
export function nameFilterOf(query: URLSearchParams): string | undefined {
  const name = query.get('name') ?? undefined;
  if (name === '') throw invalid('name', 'must not be empty');
  if (name !== undefined && name.length > PATTERN_MAX_LENGTH)
    throw invalid('name', `must be at most ${String(PATTERN_MAX_LENGTH)} characters`);
  return name;
}

/** Reads the query of a list that filters by id and name alone, of reactors and of proxies. */
export const namedListQuery = /* @__PURE__ */ queryOf(
  { isPaged: true, once: ['name'], repeated: ['id', 'external_id'] },
  (query) => ({
    filters: defined({ ids: idsOf(query), externalIds: externalIdsOf(query), name: nameFilterOf(query) }),
    page: pageRequestOf(query),
  }),
);

/** The query parameter that filters a list by name, as the OpenAPI document describes it. */
export const nameParameter = () =>
  described(
    z.optional(z.string().check(z.maxLength(PATTERN_MAX_LENGTH))),
    'Case-insensitive; `*` matches any characters; without `*` the name must contain the value.',
  );

/** The query of {@link namedListQuery}, as the OpenAPI document describes it. */
export const namedListParameters = () =>
  z.object({
    id: idsParameter(),
    external_id: externalIdParameter(),
    name: nameParameter(),
    ...pageParameters(),
  });
