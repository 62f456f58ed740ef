import { printable } from '../../command-line/show.ts';
import type { Journal, Listed, ReportRow } from '../journal/journal.ts';
import type { Counts } from './counts.ts';
import type { PrivateFile } from './private-file.ts';

export interface ReportHead extends Counts {
  readonly complete: boolean;
  readonly dry_run: boolean;
  readonly ignored_columns: readonly string[];
  /** Why the run ended before the file did. */
  readonly stopped?: string;
}

const LISTS: readonly Listed[] = ['refused', 'different', 'expired'];

/** Lists of a million rows are written row by row. */
export async function writeReport(file: PrivateFile, head: ReportHead, journal: Journal): Promise<void> {
  file.write(JSON.stringify(head, undefined, 2).replace(/\n\}$/, ''));
  for (const list of LISTS) {
    file.write(`,\n  "${list}_rows": [`);
    let between = '\n';
    for await (const row of journal.rows(list)) {
      file.write(`${between}    ${JSON.stringify(row)}`);
      between = ',\n';
    }
    file.write(between === '\n' ? ']' : '\n  ]');
  }
  file.write('\n}\n');
  file.close();
}

const SHOWN_MAX = 20;

/** One row of a report in words. */
export const rowLine = ({ row, column, problem }: ReportRow): string =>
  printable(`row ${String(row)}${column === undefined ? '' : `, ${column}`}: ${problem}`);

/** Prints the first rows of a list. */
export async function printRows(
  journal: Journal,
  list: Listed,
  count: number,
  print: (line: string) => void,
): Promise<void> {
  if (count === 0) return;
  let shown = 0;
  for await (const row of journal.rows(list)) {
    if (shown === SHOWN_MAX) break;
    print(rowLine(row));
    shown += 1;
  }
  if (count > shown) print(`... and ${(count - shown).toLocaleString('en-US')} more: --report has them all`);
}
