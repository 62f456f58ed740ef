import type { Json, JsonObject } from '../../../src/core/shared/json.ts';
import type { TokenTypeName } from '../../../src/core/tokens/token-type.ts';

/** Where a member comes from: a column, or the date of an expiry that has month and year in one. */
export type MemberSource =
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'expiration'; readonly part: 'month' | 'year'; readonly column: string };

export type Members = ReadonlyMap<string, MemberSource>;

/** A companion token, with what the type of the token cannot have. */
export interface DetailsMapping {
  readonly container: string | undefined;
  readonly columns: ReadonlyMap<string, string>;
}

/** Says for a file with columns which member of a token has the value of which column. */
export interface Mapping {
  readonly type: TokenTypeName;
  readonly id: string;
  /** One column for data that is text; else the members of an object. */
  readonly data: string | Members;
  readonly metadata: ReadonlyMap<string, string>;
  readonly expiresAt?: string;
  /** Members that all tokens have in common. */
  readonly constants: JsonObject;
  readonly details?: DetailsMapping;
  /** A file without one of them is refused. */
  readonly required: readonly string[];
  /** A row in which all of them are empty has no token. */
  readonly emptyWithoutToken?: readonly string[];
}

const columnsOfData = (data: string | Members): readonly string[] =>
  typeof data === 'string' ? [data] : [...data.values()].map(({ column }) => column);

/** All columns that a mapping reads. */
export const columnsOf = ({
  id,
  data,
  metadata,
  expiresAt,
  details,
  emptyWithoutToken = [],
}: Mapping): ReadonlySet<string> =>
  new Set([
    id,
    ...columnsOfData(data),
    ...metadata.values(),
    ...(expiresAt === undefined ? [] : [expiresAt]),
    ...(details?.columns.values() ?? []),
    ...emptyWithoutToken,
  ]);

/** A mapping as JSON, whose digest binds a journal to it. */
export function mappingAsJson(mapping: Mapping): Json {
  const { type, id, data, metadata, expiresAt = null, constants, details } = mapping;
  return {
    type,
    id,
    data: typeof data === 'string' ? data : [...data].map(([name, source]) => [name, { ...source }]),
    metadata: [...metadata].map((pair) => [...pair]),
    expiresAt,
    constants,
    details:
      details === undefined
        ? null
        : { container: details.container ?? null, columns: [...details.columns].map((pair) => [...pair]) },
  };
}
