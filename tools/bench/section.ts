import { hasSmokeForm, IS_SMOKE } from './effort.ts';

/**
 * The sections of `npm run bench`, each a program next to this file. Processor time first, before
 * other sections warm up the machine.
 */
export const SECTIONS = [
  'encryption',
  'cold-start',
  'warm',
  'counts',
  'growth',
  'hostile-bodies',
  'postgres',
  'proxy',
  'reactor-runtime',
  'sweep',
  'trail',
];

/** Programs without a budget, each run by its name with its own options. */
export const APART = [
  'cold-start-profile',
  'expressions',
  'fields',
  'load',
  'packages',
  'start',
  'storage',
  'testing',
  'transfer',
];

/** One budget of the architecture, as measured in this run. */
export interface Budget {
  readonly budget: string;
  readonly limit: string;
  readonly measured: string;
  /** Its reference, measured in the same run. */
  readonly reference: string;
  readonly isMet: boolean;
  /** A count, the same in every run. A smoke run judges only these. */
  readonly isExact?: boolean;
}

/** Figures for the output and for docs/performance/figures.md. */
export interface Figures {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly note?: string;
}

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
 * Ends a benchmark's program: prints its result, or sends it to `npm run bench`, which runs each in
 * its own process.
 */
export function report(section: Section): void {
  if (IS_SMOKE && !hasSmokeForm())
    throw new Error('the section has no smoke form: tools/bench/effort.ts shortens it');
  if (process.send !== undefined) {
    process.send(section, () => process.disconnect());
    return;
  }
  printFigures(section.figures);
  printBudgets(section.budgets);
}
