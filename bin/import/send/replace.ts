import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { tokenType, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import { SOURCE_ID } from '../columns/candidate.ts';
import type { RowProblem } from '../read/read-row.ts';
import { CallFailed, type ImportService, type ShownToken } from '../service.ts';
import { isDescribedAs } from './described.ts';
import { findTokens } from './find-tokens.ts';
import { bodiesOf, idIn, type Unit } from './unit.ts';

/** Members that a token had, and does not have any more. */
const absent = (names: readonly string[], now: JsonObject): JsonObject =>
  Object.fromEntries(names.filter((name) => now[name] === undefined).map((name) => [name, null]));

/** The row cannot be replaced, while others can. */
class NotReplaced extends Error {
  override readonly name = 'NotReplaced';
}

/**
 * A merge patch after which a token is as a body says. Its containers, mask and expressions are
 * those of the row, or nothing is changed.
 */
function patchOf(body: JsonObject, shown: ShownToken, known: readonly string[] | undefined): JsonObject {
  const { data = null, expires_at: end = null, metadata = {} } = body;
  const { dataMembers } = tokenType(body['type'] as TokenTypeName);
  // A cvc is no part of a file: it is left to its own end.
  const names = dataMembers?.filter((name) => name !== 'cvc') ?? known;
  if (isJsonObject(data) && names === undefined)
    throw new NotReplaced('is an object, of which nothing says what it had before: write it by PATCH');
  const merged: Json = isJsonObject(data) ? { ...absent(names ?? [], data), ...data } : data;
  return {
    expires_at: end,
    data: merged,
    ...(isJsonObject(metadata) && {
      metadata: { ...absent(Object.keys(shown.metadata), metadata), ...metadata },
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

/** Takes everything out of the companion of a row that has nothing for one any more. */
async function empty(
  service: ImportService,
  { candidate: { oldId, details, names } }: Unit,
  shown: ReadonlyMap<string, ShownToken>,
): Promise<void> {
  const { detailsId = '', details: members = [] } = names ?? {};
  const companion = shown.get(detailsId);
  if (details === undefined && companion?.metadata[SOURCE_ID] === oldId)
    await service.change(detailsId, { data: absent(members, {}) });
}

/** Throws unless the token that exists is one of the row, and shown as the row says. */
function checkPresent(body: JsonObject, token: ShownToken, oldId: string): void {
  const isOfRow = !marksSource(body) || token.metadata[SOURCE_ID] === oldId;
  if (!isOfRow || !isDescribedAs(body, token))
    throw new NotReplaced('its token is of another row, or has another container, mask or index');
}

const marksSource = ({ metadata = null }: JsonObject): boolean =>
  isJsonObject(metadata) && metadata[SOURCE_ID] !== undefined;

/** Changes all tokens of a row, and returns how many companions were missing and created. */
async function change(service: ImportService, unit: Unit): Promise<number> {
  const { names, oldId } = unit.candidate;
  const bodies = bodiesOf(unit);
  const ids = new Set([...bodies.map(idIn), ...(names?.detailsId === undefined ? [] : [names.detailsId])]);
  const shown = await findTokens(service, [...ids]);
  if (shown === undefined) throw new NotReplaced('the key may not read tokens, to see what they are');
  // All are looked at before the first one is changed.
  for (const body of bodies) {
    const token = shown.get(idIn(body));
    if (token !== undefined) checkPresent(body, token, oldId);
    else if (body === unit.candidate.body)
      throw new NotReplaced('its token was deleted, or the key does not see it');
  }
  let created = 0;
  for (const body of bodies) {
    const token = shown.get(idIn(body));
    const members = body === unit.candidate.body ? names?.data : names?.details;
    if (token === undefined) created += (await service.create([body])).length;
    else await service.change(idIn(body), patchOf(body, token, members));
  }
  await empty(service, unit, shown);
  return created;
}

/** Changes the tokens of a row to what the row has. Creates a companion that is missing. */
export async function replaceTokens(service: ImportService, unit: Unit): Promise<Replaced> {
  try {
    return { details: await change(service, unit) };
  } catch (error) {
    if (error instanceof NotReplaced) return { found: { problem: `is not replaced: ${error.message}` } };
    if (!(error instanceof CallFailed) || !OF_ROW.includes(error.status)) throw error;
    return { found: problemOf(error, unit) };
  }
}
