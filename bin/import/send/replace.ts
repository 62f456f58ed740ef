import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { tokenType, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import type { RowProblem } from '../read/read-row.ts';
import { CallFailed, type ImportService, type ShownToken } from '../service.ts';
import { findTokens } from './find-tokens.ts';
import { bodiesOf, idIn, type Unit } from './unit.ts';

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

/** Statuses after which other rows can still succeed. */
const OF_ROW: readonly number[] = [400, 404, 409, 413];

function problemOf({ message, places }: CallFailed, { candidate }: Unit): RowProblem {
  const [[path, [problem = '']] = ['', []]] = Object.entries(places);
  return problem === ''
    ? { problem: `is not replaced: ${message}` }
    : { column: candidate.columnOf(path.replace(/^\[0\]\./, '')), problem };
}

/** Changes all tokens of a row, and returns how many companions were missing and created. */
async function change(service: ImportService, unit: Unit): Promise<number> {
  const bodies = bodiesOf(unit);
  const shown = await findTokens(service, bodies.map(idIn));
  let created = 0;
  for (const body of bodies) {
    const id = idIn(body);
    const isMissing = body !== unit.candidate.body && shown?.has(id) === false;
    if (isMissing) created += (await service.create([body])).length;
    else await service.change(id, patchOf(body, shown?.get(id)));
  }
  return created;
}

/** Changes the tokens of a row to what the row has. Creates a companion that is missing. */
export async function replaceTokens(service: ImportService, unit: Unit): Promise<Replaced> {
  try {
    return { details: await change(service, unit) };
  } catch (error) {
    if (!(error instanceof CallFailed) || !OF_ROW.includes(error.status)) throw error;
    return { found: problemOf(error, unit) };
  }
}
