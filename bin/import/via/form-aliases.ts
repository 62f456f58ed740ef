import { jsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { UsageError } from '../../command-line/failures.ts';
import type { Checked } from '../columns/check-candidate.ts';
import { formProblem, SOURCE_ID, type Candidate, type Formed } from '../columns/candidate.ts';
import { checkHeader, type CheckedHeader } from '../columns/check-header.ts';
import type { Naming } from '../columns/from-cells.ts';
import type { Mapping, Members } from '../columns/mapping.ts';
import { tokenIdOf } from '../token-id-of.ts';
import { columnsOf, filled, UnfitRow } from './fill-template.ts';

type Cells = ReadonlyMap<string, string>;

/** The texts of `data` in a map, which are expressions of the other vault here, and no columns. */
function templateOf(data: string | Members): Json {
  if (typeof data === 'string') return data;
  return jsonObject(
    [...data].map(([name, source]) => {
      if (source.kind === 'column') return [name, source.column] as const;
      throw new UsageError('--via: the map must have expiration_month and expiration_year, each by itself');
    }),
  );
}

/** A map whose data has expressions, with the columns that these name. */
export interface AliasForm {
  /** Compares the header of the file with the map. Throws {@link UsageError}. */
  readonly header: (name: string, columns: readonly string[]) => CheckedHeader;
  readonly form: (row: number, cells: Cells) => Formed;
}

/** Makes requests of the rows of a file of aliases, which another vault fills in. */
export function formAliases(mapping: Mapping, { source, keepsIds }: Naming): AliasForm {
  const { id, type, constants, metadata, expiresAt, details } = mapping;
  if (details !== undefined) throw new UsageError('--via: the map must have no details');
  const template = templateOf(mapping.data);
  const named = columnsOf(template);
  if (named.length === 0)
    throw new UsageError('--via: the data of the map must name a column of the file in <...>');
  const read = [id, ...named, ...metadata.values(), ...(expiresAt === undefined ? [] : [expiresAt])];
  const ofFile: Mapping = { ...mapping, data: new Map(), required: [...new Set(read)] };
  const known = new Set(read);
  const columnOf = (path: string): string => {
    const [member = '', name = ''] = path.split('.');
    if (member === 'id' || name === SOURCE_ID) return id;
    if (member === 'metadata') return metadata.get(name) ?? path;
    return member === 'data' ? (named[0] ?? path) : path;
  };
  return {
    header: (name, columns) => ({
      known,
      ignored: checkHeader(name, columns, ofFile).ignored.filter((column) => !known.has(column)),
    }),
    form: (row, cells) => {
      const oldId = cells.get(id) ?? '';
      if (oldId === '') return formProblem(id, 'is empty');
      const pairs = [...metadata].flatMap(([name, column]) => {
        const cell = cells.get(column) ?? '';
        return cell === '' ? [] : [[name, cell] as const];
      });
      const end = expiresAt === undefined ? '' : (cells.get(expiresAt) ?? '');
      try {
        const body: JsonObject = {
          id: keepsIds ? oldId : tokenIdOf(source, oldId),
          type,
          data: filled(template, cells),
          ...constants,
          metadata: jsonObject([[SOURCE_ID, oldId], ...pairs]),
          ...(end !== '' && { expires_at: end }),
        };
        return { kind: 'candidate', candidate: { row, oldId, body, columnOf } };
      } catch (error) {
        if (error instanceof UnfitRow) return formProblem(error.column, error.message);
        throw error;
      }
    },
  };
}

/** Each request has one token, whose data only the other vault knows. */
const ONE_REQUEST = 100;

/** Whether a text is one that a vault would fill in. */
const hasExpression = (text: unknown): boolean => typeof text === 'string' && /\{\{|\}\}|\{%/.test(text);

/** Checks what the file decides. A cell that is an expression would reveal something else. */
export function checkAlias({ body, columnOf }: Candidate): Checked {
  const { id, data: _, type: __, ...others } = body;
  const problem = tokenIdProblem(typeof id === 'string' ? id : '');
  if (problem !== undefined) return { found: { column: columnOf('id'), problem } };
  const { metadata = {} } = others;
  const wrong = Object.entries(metadata as JsonObject).find(([, text]) => hasExpression(text));
  if (wrong !== undefined)
    return {
      found: { column: columnOf(`metadata.${wrong[0]}`), problem: 'must not contain an expression' },
    };
  if (hasExpression(others['expires_at']))
    return { found: { column: columnOf('expires_at'), problem: 'must not contain an expression' } };
  return { isExpired: false, items: ONE_REQUEST };
}
