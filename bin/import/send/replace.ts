import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { tokenType } from '../../../src/core/tokens/token-type.ts';
import type { TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import type { RowProblem } from '../read/read-row.ts';
import { CallFailed, type ImportService, type ShownToken } from '../service.ts';
import { findTokens } from './find-tokens.ts';
import { bodiesOf, type Unit } from './unit.ts';

/** Members that a token had, and does not have any more. */
const absent = (names: readonly string[], now: JsonObject): JsonObject =>
  Object.fromEntries(names.filter((name) => now[name] === undefined).map((name) => [name, null]));

/** A merge patch after which a token is as a body says. */
function patchOf(
  { id: _, type, data = null, ...body }: JsonObject,
  shown: ShownToken | undefined,
): JsonObject {
  const { dataMembers = [] } = tokenType(type as TokenTypeName);
  const { metadata = {} } = body;
  // A cvc is no part of a file: it is left to its own end.
  const names = dataMembers.filter((name) => name !== 'cvc');
  const merged: Json = isJsonObject(data) ? { ...absent(names, data), ...data } : data;
  return {
    expires_at: null,
    ...body,
    data: merged,
    ...(isJsonObject(metadata) && {
      metadata: { ...absent(Object.keys(shown?.metadata ?? {}), metadata), ...metadata },
    }),
  };
}

export type Replaced = { readonly details: number } | { readonly found: RowProblem };

/** Changes the tokens of a row to what the row has. Creates a companion that is missing. */
export async function replaceTokens(service: ImportService, unit: Unit): Promise<Replaced> {
  const [, details] = bodiesOf(unit);
  const ids = [unit.id, ...(typeof details?.['id'] === 'string' ? [details['id']] : [])];
  const shown = await findTokens(service, ids);
  let created = 0;
  try {
    for (const body of bodiesOf(unit)) {
      const id = String(body['id']);
      const isMissing = body === details && shown !== undefined && !shown.has(id);
      if (isMissing) created += (await service.create([body])).length;
      else await service.change(id, patchOf(body, shown?.get(id)));
    }
    return { details: created };
  } catch (error) {
    if (!(error instanceof CallFailed) || ![400, 404, 409, 413].includes(error.status)) throw error;
    const [[path, [problem = '']] = ['', []]] = Object.entries(error.places);
    const { columnOf } = unit.candidate;
    return {
      found:
        problem === ''
          ? { problem: `is not replaced: ${error.message}` }
          : { column: columnOf(path.replace(/^\[0\]\./, '')), problem },
    };
  }
}
