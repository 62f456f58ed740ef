import * as z from 'zod/mini';
import { defined } from '../core/shared/defined.ts';
import { invalid } from '../core/shared/service-error.ts';
import { idsOf, idsParameter, PAGE_PARAMETERS, pageParameters, pageRequestOf, queryOf } from './page.ts';
import { described } from './parts.ts';

/** Longest name that filters a list, in characters. */
export const PATTERN_MAX_LENGTH = 200;

/**
 * Reads the query of a list that filters by id and name, of reactors and of proxies
 * (docs/contract.md#create-and-change-reactors).
 */
export const namedListQuery = /* @__PURE__ */ queryOf(
  { once: [...PAGE_PARAMETERS, 'name'], repeated: ['id'] },
  (query) => {
    const name = query.get('name') ?? undefined;
    if (name === '') throw invalid('name', 'must not be empty');
    if (name !== undefined && name.length > PATTERN_MAX_LENGTH)
      throw invalid('name', `must be at most ${String(PATTERN_MAX_LENGTH)} characters`);
    return { filters: defined({ ids: idsOf(query), name }), page: pageRequestOf(query) };
  },
);

/** The query of {@link namedListQuery}, as the OpenAPI document describes it. */
export const namedListParameters = () =>
  z.object({
    id: idsParameter(),
    name: described(
      z.optional(z.string().check(z.maxLength(PATTERN_MAX_LENGTH))),
      'Case-insensitive; `*` matches any characters; without `*` the name must contain the value.',
    ),
    ...pageParameters(),
  });
