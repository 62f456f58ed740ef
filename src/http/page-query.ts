import * as z from 'zod/mini';
import type { Json, JsonObject } from '../core/shared/json.ts';
import {
  COUNT_MAX,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  type Page,
  type PageRequest,
} from '../core/shared/pagination.ts';
import { invalid } from '../core/shared/service-error.ts';

interface GivenPage {
  readonly page?: unknown;
  readonly size?: unknown;
  readonly after?: unknown;
}

function wholeNumber(value: unknown, name: string, fallback: number, most: number): number {
  if (value === undefined || value === null) return fallback;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1 || number > most) {
    throw invalid(
      name,
      most === PAGE_SIZE_MAX ? `must be a number from 1 to ${String(most)}` : 'must be a number from 1',
    );
  }
  return number;
}

/**
 * The members of a body that ask for a page; {@link pageRequest} checks them. `override`: see
 * schemas.ts.
 */
export const pageMembers = {
  page: z.optional(z.unknown().check(z.meta({ override: { type: 'integer', minimum: 1 } }))),
  size: z.optional(
    z.unknown().check(z.meta({ override: { type: 'integer', minimum: 1, maximum: PAGE_SIZE_MAX } })),
  ),
  after: z.optional(z.unknown().check(z.meta({ override: { type: ['string', 'null'] } }))),
};

/** The page that a query or a body asks for. Throws `validation_failed`. */
export function pageRequest({ page: givenPage, size: givenSize, after }: GivenPage): PageRequest {
  const size = wholeNumber(givenSize, 'size', PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX);
  if (after !== undefined && after !== null && after !== '') {
    if (typeof after !== 'string') throw invalid('after', 'is not a cursor of this list');
    return { kind: 'after', cursor: after, size };
  }
  const page = wholeNumber(givenPage, 'page', 1, Number.MAX_SAFE_INTEGER);
  if (page * size > COUNT_MAX)
    throw invalid('page', `reaches beyond ${String(COUNT_MAX)} items; continue with after instead`);
  return { kind: 'numbered', page, size };
}

/** Ids that one list is narrowed to. */
export const IDS_MAX = 1_000;

/**
 * The ids that a list is narrowed to; none if it is not. Throws `validation_failed` for too many.
 */
export function idsOf(query: URLSearchParams): readonly string[] {
  const ids = query.getAll('id').filter((id) => id !== '');
  if (ids.length > IDS_MAX) throw invalid('id', `must be at most ${String(IDS_MAX)}`);
  return ids;
}

/** {@link pageRequest} from query parameters. */
export function pageRequestOf(query: URLSearchParams): PageRequest {
  const given = (name: string) => query.get(name) ?? undefined;
  return pageRequest({ page: given('page'), size: given('size'), after: given('after') });
}

/** The query of a request as it came, in what `convert` makes of it. */
export function queryOf<Query>(convert: (query: URLSearchParams) => Query) {
  return z.pipe(z.custom<URLSearchParams>(), z.transform(convert));
}

/** The object that every list answers (docs/contract.md#lists). */
export function presentPage<Item>({ items, info }: Page<Item>, present: (item: Item) => Json): JsonObject {
  const { counted, size, after } = info;
  const pagination = counted && {
    total_items: counted.items,
    page_number: counted.page,
    page_size: size,
    total_pages: Math.ceil(counted.items / size),
    after,
    ...(counted.isLowerBound && { total_is_lower_bound: true }),
  };
  return { pagination: pagination ?? { page_size: size, after }, data: items.map(present) };
}
