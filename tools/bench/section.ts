/**
 * The sections of `npm run bench`, each a program beside this file. Processor time first, while
 * nothing else has warmed the machine up.
 */
export const SECTIONS = [
  'sealing',
  'cold-start',
  'warm',
  'counts',
  'growth',
  'hostile-bodies',
  'postgres',
  'proxy',
  'reactor-runtime',
  'sweep',
];

/** One budget of the architecture, as it was met in this run. */
export interface Budget {
  readonly budget: string;
  readonly limit: string;
  readonly measured: string;
  /** What it is measured beside, in the same run. */
  readonly reference: string;
  readonly isMet: boolean;
}

/** Figures as they are printed, and written into docs/performance/figures.md. */
export interface Figures {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly note?: string;
}

/** What one benchmark has found. */
export interface Section {
  readonly budgets: readonly Budget[];
  readonly figures: readonly Figures[];
}

export const BUDGET_COLUMNS = ['budget', 'limit', 'measured', 'reference', 'met'];

export const budgetRow = ({ budget, limit, measured, reference, isMet }: Budget): readonly string[] => [
  budget,
  limit,
  measured,
  reference,
  isMet ? 'yes' : 'NO',
];

/** Lines of text in columns. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function printFigures(figures: readonly Figures[]): void {
  for (const { title, columns, rows, note } of figures)
    console.log(`\n${title}\n${aligned([columns, ...rows])}${note === undefined ? '' : `\n${note}`}`);
}

export function printBudgets(budgets: readonly Budget[]): void {
  if (budgets.length > 0) console.log(`\n${aligned([BUDGET_COLUMNS, ...budgets.map(budgetRow)])}`);
}

/**
 * Ends a benchmark's program: prints what it found, or hands it to `npm run bench`, which runs each
 * in a process of its own.
 */
export function report(section: Section): void {
  if (process.send !== undefined) {
    process.send(section, () => process.disconnect());
    return;
  }
  printFigures(section.figures);
  printBudgets(section.budgets);
}
