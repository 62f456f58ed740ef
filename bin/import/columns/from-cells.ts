import { jsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { detailsIdOf, tokenIdOf } from '../token-id-of.ts';
import { formProblem, SOURCE_ID, type Candidate, type Formed } from './candidate.ts';
import { EXPIRATION_FORM, expirationDate } from './expiration-date.ts';
import type { Mapping, Members } from './mapping.ts';

/** How ids are made. */
export interface Naming {
  readonly source: string;
  readonly keepsIds: boolean;
}

type Cells = ReadonlyMap<string, string>;

/** The pairs whose cells are not empty. */
function filled(columns: ReadonlyMap<string, string>, cells: Cells): readonly (readonly [string, string])[] {
  return [...columns].flatMap(([name, column]) => {
    const value = cells.get(column) ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
}

/** The column whose date cannot be read, or the members of an object. */
function membersOf(members: Members, cells: Cells): JsonObject | string {
  const found: [string, Json][] = [];
  for (const [name, source] of members) {
    const value = cells.get(source.column) ?? '';
    if (value === '') continue;
    if (source.kind === 'column') {
      found.push([name, value]);
      continue;
    }
    const date = expirationDate(value);
    if (date === undefined) return source.column;
    found.push([name, date[source.part]]);
  }
  return jsonObject(found);
}

function dataOf({ data }: Mapping, cells: Cells): { readonly data: Json } | { readonly wrong: string } {
  if (typeof data === 'string') return { data: cells.get(data) ?? '' };
  const members = membersOf(data, cells);
  return typeof members === 'string' ? { wrong: members } : { data: members };
}

/** Finds the column of a member by its path, or by the beginning of the path. */
function columnFinder({ id, data, metadata, expiresAt, details }: Mapping): (path: string) => string {
  const columns = new Map<string, string>([
    ['id', id],
    [`metadata.${SOURCE_ID}`, id],
    ...[...metadata].map(([name, column]) => [`metadata.${name}`, column] as const),
    ...[...(details?.columns ?? [])].map(([name, column]) => [`details.${name}`, column] as const),
  ]);
  if (expiresAt !== undefined) columns.set('expires_at', expiresAt);
  if (typeof data === 'string') columns.set('data', data);
  else for (const [name, { column }] of data) columns.set(`data.${name}`, column);
  return (path) => columns.get(path) ?? path;
}

function detailsOf(
  { details, constants }: Mapping,
  cells: Cells,
  common: { readonly oldId: string; readonly metadata: JsonObject; readonly expires: JsonObject },
  source: string,
): { readonly details?: JsonObject } {
  if (details === undefined) return {};
  const data = filled(details.columns, cells);
  if (data.length === 0) return {};
  const container = details.container === undefined ? constants['containers'] : [details.container];
  return {
    details: {
      id: detailsIdOf(source, common.oldId),
      type: 'token',
      data: jsonObject(data),
      ...(container !== undefined && { containers: container }),
      metadata: common.metadata,
      ...common.expires,
    },
  };
}

/** The members that tokens of the file may have had. */
const namesOf = (
  { data, details }: Mapping,
  source: string,
  oldId: string,
): NonNullable<Candidate['names']> => ({
  data: typeof data === 'string' ? [] : [...data.keys()],
  details: [...(details?.columns.keys() ?? [])],
  ...(details !== undefined && { detailsId: detailsIdOf(source, oldId) }),
});

/** Makes tokens of the rows of a file with columns. */
export function formCells(mapping: Mapping, { source, keepsIds }: Naming) {
  const columnOf = columnFinder(mapping);
  const { emptyWithoutToken, id, type, constants } = mapping;
  return (row: number, cells: Cells): Formed => {
    const isEmpty = (column: string) => (cells.get(column) ?? '') === '';
    if (emptyWithoutToken?.every(isEmpty) === true) return { kind: 'customer' };
    const oldId = cells.get(id) ?? '';
    if (oldId === '') return formProblem(id, 'is empty');
    const found = dataOf(mapping, cells);
    if ('wrong' in found) return formProblem(found.wrong, EXPIRATION_FORM);
    const metadata = jsonObject([[SOURCE_ID, oldId], ...filled(mapping.metadata, cells)]);
    const expiresAt = mapping.expiresAt === undefined ? '' : (cells.get(mapping.expiresAt) ?? '');
    const expires: JsonObject = expiresAt === '' ? {} : { expires_at: expiresAt };
    const body: JsonObject = {
      id: keepsIds ? oldId : tokenIdOf(source, oldId),
      type,
      data: found.data,
      ...constants,
      metadata,
      ...expires,
    };
    const details = detailsOf(mapping, cells, { oldId, metadata, expires }, source);
    const names = namesOf(mapping, source, oldId);
    return { kind: 'candidate', candidate: { row, oldId, body, ...details, names, columnOf } };
  };
}
