import { nearestName } from '../../../src/core/shared/known-names.ts';
import { UsageError } from '../../command-line/failures.ts';
import { columnsOf, type Mapping } from './mapping.ts';
import { shownColumn } from './shown-columns.ts';

const withoutDots = (name: string): string => name.replaceAll(/[.:]/g, '_');

/** A similar name; names with dots are compared as a whole. */
function nearestColumn(sent: string, names: readonly string[]): string | undefined {
  const nearest = nearestName(withoutDots(sent), names.map(withoutDots));
  const at = names.findIndex((name) => withoutDots(name) === nearest);
  const found = names[at];
  return found === undefined ? undefined : shownColumn(found, at);
}

export interface CheckedHeader {
  readonly known: ReadonlySet<string>;
  /** Columns that nothing reads, as messages show them. */
  readonly ignored: readonly string[];
}

/**
 * Compares the header of a file with a mapping. Throws {@link UsageError} if a column is missing,
 * with the most similar name that the header has.
 */
export function checkHeader(name: string, columns: readonly string[], mapping: Mapping): CheckedHeader {
  const known = columnsOf(mapping);
  const unknown = columns.filter((column) => !known.has(column));
  const missing = mapping.required.filter((column) => !columns.includes(column));
  if (missing.length > 0) {
    const hints = missing.map((column) => {
      const nearest = nearestColumn(column, unknown);
      return nearest === undefined ? column : `${column} (the nearest column of the file is ${nearest})`;
    });
    const what = missing.length === 1 ? 'the column' : 'the columns';
    throw new UsageError(`${name} lacks ${what} ${hints.join(', ')}; nothing was done`);
  }
  const ignored = columns.flatMap((column, at) => (known.has(column) ? [] : [shownColumn(column, at)]));
  return { known, ignored };
}
