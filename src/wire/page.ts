import * as z from 'zod/mini';
import type { ZodMiniType } from 'zod/mini';
import { EXTERNAL_ID_MAX_LENGTH } from '../core/shared/external-id.ts';
import { FieldReporter } from '../core/shared/field-reporter.ts';
import type { Json } from '../core/shared/json.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { hintOf, shownName } from '../core/shared/known-names.ts';
import {
  COUNT_MAX,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  type Page,
  type PageRequest,
} from '../core/lists/pagination.ts';
import { invalid } from '../core/shared/service-error.ts';
import { described, type Response } from './parts.ts';
import { counted } from './words.ts';

interface PageParameters {
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
      most === PAGE_SIZE_MAX
        ? `must be a whole number from 1 to ${String(most)}`
        : 'must be a whole number from 1',
    );
  }
  return number;
}

/**
 * The body members that ask for a page, which {@link pageRequest} checks. parts.ts explains
 * `override`.
 */
export const pageMembers = () => ({
  page: z.optional(z.unknown().check(z.meta({ override: { type: 'integer', minimum: 1 } }))),
  size: z.optional(
    z.unknown().check(z.meta({ override: { type: 'integer', minimum: 1, maximum: PAGE_SIZE_MAX } })),
  ),
  after: z.optional(z.unknown().check(z.meta({ override: { type: ['string', 'null'] } }))),
});

/** Names of the query parameters that ask for a page. */
const PAGE_PARAMETERS = ['page', 'size', 'after'] as const;

/** The page that a query or a body asks for. Throws `validation_failed`. */
export function pageRequest({ page: pageNumber, size: pageSize, after }: PageParameters): PageRequest {
  const size = wholeNumber(pageSize, 'size', PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX);
  if (after !== undefined && after !== null) {
    if (typeof after !== 'string' || after === '') throw invalid('after', 'is not a cursor of this list');
    if (pageNumber !== undefined && pageNumber !== null)
      throw invalid('page', 'cannot be combined with after, which says where to go on');
    return { kind: 'after', cursor: after, size };
  }
  const page = wholeNumber(pageNumber, 'page', 1, Number.MAX_SAFE_INTEGER);
  if (page * size > COUNT_MAX)
    throw invalid('page', `reaches beyond ${String(COUNT_MAX)} items; continue with after instead`);
  return { kind: 'numbered', page, size };
}

/** Most ids by which one list can be filtered. */
export const IDS_MAX = 1_000;

/**
 * The ids by which a list is filtered; empty without the filter. Throws `validation_failed` for too
 * many.
 */
export function idsOf(query: URLSearchParams): readonly string[] {
  const ids = query.getAll('id');
  if (ids.includes('')) throw invalid('id', 'must not be empty');
  if (ids.length > IDS_MAX) throw invalid('id', `must be at most ${String(IDS_MAX)}`);
  return ids;
}

/** Most external ids by which one list can be filtered. */
export const EXTERNAL_IDS_MAX = 100;

/**
 * The external ids by which a list is filtered; empty without the filter. Throws
 * `validation_failed` for one that no resource can have, and for too many.
 */
export function externalIdsOf(query: URLSearchParams): readonly string[] {
  const externalIds = query.getAll('external_id');
  const isPossible = (each: string) =>
    each !== '' && Array.from(each).length <= EXTERNAL_ID_MAX_LENGTH && each.isWellFormed();
  if (!externalIds.every(isPossible))
    throw invalid('external_id', `must be 1 to ${String(EXTERNAL_ID_MAX_LENGTH)} characters`);
  if (externalIds.length > EXTERNAL_IDS_MAX)
    throw invalid('external_id', `must be at most ${String(EXTERNAL_IDS_MAX)}`);
  return externalIds;
}

/** {@link pageRequest} from query parameters. */
export function pageRequestOf(query: URLSearchParams): PageRequest {
  const input = (name: string) => query.get(name) ?? undefined;
  return pageRequest({ page: input('page'), size: input('size'), after: input('after') });
}

const unknownParameter = (name: string, known: readonly string[]): string =>
  known.length === 0
    ? 'is not known; this operation has no query parameters'
    : `is not a query parameter of this operation${hintOf(name, known)}`;

/** The query parameters that an operation has. */
interface Parameters {
  /** True if the operation has the parameters of a page. */
  readonly isPaged?: true;
  /** Other parameters that may appear once. */
  readonly once?: readonly string[];
  /** Parameters that may be repeated; each one adds an alternative. */
  readonly repeated?: readonly string[];
  /** A family of parameters, such as `metadata.<key>`. Each may be repeated. */
  readonly isOfFamily?: (name: string) => boolean;
}

/** Throws `validation_failed` for unknown parameters and for those that may not be repeated. */
function checkParameters(query: URLSearchParams, parameters: Parameters): void {
  const { isPaged, repeated = [], isOfFamily = () => false } = parameters;
  const once = [...(isPaged === true ? PAGE_PARAMETERS : []), ...(parameters.once ?? [])];
  const fields = new FieldReporter();
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (!fields.hasRoom) break;
    const isKnown = once.includes(name);
    if (isKnown && seen.has(name)) fields.report(name, 'appears twice');
    if (!isKnown && !repeated.includes(name) && !isOfFamily(name))
      fields.report(shownName(name), unknownParameter(name, [...once, ...repeated]));
    seen.add(name);
  }
  fields.throwIfFailed();
}

/**
 * The query of a request, converted by `convert`. Throws `validation_failed` for a parameter that
 * the operation does not have.
 */
export function queryOf<Query>(parameters: Parameters, convert: (query: URLSearchParams) => Query) {
  return z.pipe(
    z.custom<URLSearchParams>(),
    z.transform((query) => {
      checkParameters(query, parameters);
      return convert(query);
    }),
  );
}

const pagination = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      total_items: z.optional(z.int()),
      total_is_lower_bound: described(
        z.optional(z.literal(true)),
        `There are more than ${counted(COUNT_MAX)}.`,
      ),
      page_number: z.optional(z.int()),
      page_size: z.int(),
      total_pages: z.optional(z.int()),
      after: described(z.nullable(z.string()), 'Cursor of the next page; `null` at the end.'),
    })
    .check(
      z.meta({
        id: 'Pagination',
        description:
          'A page requested with `after` has only `page_size` and `after`: its items are not counted.',
        examples: [{ total_items: 41, page_number: 1, page_size: 20, total_pages: 3, after: 'eyJ2...' }],
      }),
    ),
);

export const pageOf = (item: ZodMiniType) => z.object({ pagination: pagination(), data: z.array(item) });

/** A query parameter that may be repeated. */
export const REPEATED = { style: 'form', explode: true } as const;

/**
 * The query parameter of every list that selects items by id, as the OpenAPI document describes it.
 */
export const idsParameter = () =>
  z.optional(z.array(z.string()).check(z.maxLength(IDS_MAX))).check(
    z.meta({
      description: `Only these, \`?id=a&id=b\`, in this order; at most ${counted(IDS_MAX)}.`,
      param: REPEATED,
    }),
  );

/** Query parameters of every list, as the OpenAPI document describes them. */
export const pageParameters = () => ({
  page: described(
    z.optional(z.int().check(z.minimum(1))),
    `From 1. \`page * size\` is at most ${counted(COUNT_MAX)}; continue with \`after\`.`,
  ),
  size: described(
    z.optional(z.int().check(z.minimum(1), z.maximum(PAGE_SIZE_MAX))),
    `Items of a page, 1 to ${counted(PAGE_SIZE_MAX)}. Default ${counted(PAGE_SIZE_DEFAULT)}.`,
  ),
  after: described(
    z.optional(z.string()),
    'Cursor of a page of the same list with the same filters. Costs the same at any depth.',
  ),
});

/** Builds the body of every list response (docs/contract.md#lists). */
export function presentPage<Item, Shape extends Json>(
  { items, info }: Page<Item>,
  present: (item: Item) => Shape,
): { readonly pagination: Response<typeof pagination>; readonly data: readonly Shape[] } {
  const { counted: count, size, after } = info;
  const pages = count && {
    total_items: count.items,
    page_number: count.page,
    page_size: size,
    total_pages: Math.ceil(count.items / size),
    after,
    ...(count.isLowerBound && { total_is_lower_bound: true as const }),
  };
  return { pagination: pages ?? { page_size: size, after }, data: items.map(present) };
}
