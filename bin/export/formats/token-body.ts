import type { Json, JsonObject } from '../../../src/core/shared/json.ts';
import { printableJson } from '../../command-line/show.ts';
import type { ExportedToken } from '../service.ts';
import type { Format } from './format.ts';

/*
 * A body without a mask or without indexes would get those of its type, so both are always in a
 * row, as `null` and `[]` where the token has none.
 */

/** One line, whatever readers take for the end of a line. */
const lineOf = (body: JsonObject): string => `${printableJson(JSON.stringify(body))}\n`;

/** The body of `POST /tokens` that makes a token again, under its id. */
export function bodyOf({ body }: ExportedToken): JsonObject {
  const { id = '', type = '', data = null, mask = null, containers = [], metadata = {} } = body;
  const { search_indexes: indexes = [], fingerprint_expression: expression, expires_at: end } = body;
  const optional = (name: string, value: Json | undefined) => (value === undefined ? {} : { [name]: value });
  return {
    id,
    type,
    data,
    mask,
    containers,
    ...(Object.keys(metadata as JsonObject).length > 0 && { metadata }),
    search_indexes: indexes,
    ...optional('fingerprint_expression', expression),
    ...optional('expires_at', end),
  };
}

/** Writes what the import of the same format reads. */
export const cloakroom: Format = {
  header: '',
  row: (token) => lineOf(bodyOf(token)),
  needsPlaintext: true,
};

/** Writes Token objects as the API shows them. */
export const ndjson: Format = {
  header: '',
  row: ({ body }) => {
    const { _extras: _, mask = null, search_indexes: indexes = [], ...rest } = body;
    return lineOf({ ...rest, mask, search_indexes: indexes });
  },
  needsPlaintext: false,
};
