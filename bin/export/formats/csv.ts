import type { Column } from './columns.ts';
import type { Format } from './format.ts';

/** Such a cell needs no quotes, whatever character a reader takes for a separator. */
const PLAIN = /^[\w./:@+*-]+$/;

/**
 * A spreadsheet may take such a cell for a formula, also behind blanks and in full width (OWASP,
 * "CSV Injection"). A cell that begins with `'` is among them, so that taking one away always
 * returns the value.
 */
const FORMULA = /^[\s\p{Cc}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n']/u;

/** A field of RFC 4180. An empty text has quotes, and an absent value has none. */
function field(text: string | undefined, isForSpreadsheet: boolean): string {
  if (text === undefined) return '';
  const value = isForSpreadsheet && FORMULA.test(text) ? `'${text}` : text;
  return PLAIN.test(value) ? value : `"${value.replaceAll('"', '""')}"`;
}

/** CSV of RFC 4180 with a header, in UTF-8 without a byte order mark. */
export function csv(
  columns: readonly Column[],
  { isForSpreadsheet }: { readonly isForSpreadsheet: boolean },
): Format {
  const line = (cells: readonly (string | undefined)[]): string =>
    `${cells.map((cell) => field(cell, isForSpreadsheet)).join(',')}\r\n`;
  return {
    header: line(columns.map(({ name }) => name)),
    row: (token, shown) => line(columns.map(({ cell }) => cell(token, shown))),
    needsPlaintext: false,
  };
}
