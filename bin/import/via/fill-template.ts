import { isJsonObject, jsonObject, type Json } from '../../../src/core/shared/json.ts';

/**
 * Characters that an alias and a column of its file may have. Others could end the expression of
 * the other vault in which they are, and name something else there.
 */
const PLAIN = /^[\w.:@+~-]{1,400}$/;

const PLACE = /<([^<>]+)>/g;

/** A row whose cells do not fit into a template. The message has no cell. */
export class UnfitRow extends Error {
  override readonly name = 'UnfitRow';

  readonly column: string;

  constructor(column: string, problem: string) {
    super(problem);
    this.column = column;
  }
}

/** The columns that the places of a template name. */
export function columnsOf(template: Json): readonly string[] {
  if (typeof template === 'string') return [...template.matchAll(PLACE)].map(([, column = '']) => column);
  if (Array.isArray(template)) return (template as readonly Json[]).flatMap(columnsOf);
  return isJsonObject(template) ? Object.values(template).flatMap(columnsOf) : [];
}

function cellOf(row: ReadonlyMap<string, string>, column: string): string {
  const cell = row.get(column) ?? '';
  if (cell === '') throw new UnfitRow(column, 'is empty');
  if (!PLAIN.test(cell)) throw new UnfitRow(column, 'may have letters, digits and . : @ + ~ _ - alone');
  return cell;
}

/** A template whose places have the cells of a row. Throws {@link UnfitRow}. */
export function filled(template: Json, row: ReadonlyMap<string, string>): Json {
  if (typeof template === 'string')
    return template.replaceAll(PLACE, (_, column: string) => cellOf(row, column));
  if (Array.isArray(template)) return (template as readonly Json[]).map((each) => filled(each, row));
  if (!isJsonObject(template)) return template;
  return jsonObject(Object.entries(template).map(([name, each]) => [name, filled(each, row)] as const));
}
