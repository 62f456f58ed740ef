import { BUDGET_COLUMNS, budgetRow, type Budget, type Figures, type Section } from './section.ts';

interface Found {
  /** Notes when and where the figures were measured. */
  readonly about: string;
  readonly budgets: readonly Budget[];
  /** Each key is the name of a section. */
  readonly sections: ReadonlyMap<string, Section>;
}

const escaped = (cell: string) => cell.replaceAll('|', '\\|');
const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const odd = rows.find(({ length }) => length !== columns.length);
  if (odd !== undefined) throw new Error(`not ${String(columns.length)} cells: ${line(odd)}`);
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

const figures = ({ title, columns, rows, note }: Figures): string =>
  [`### ${title}`, table(columns, rows), ...(note === undefined ? [] : [note])].join('\n\n');

/**
 * Puts a text between the markers of a name, `<!-- measured: NAME -->` and `<!-- end -->`. Throws
 * if the document has none.
 */
function replaced(document: string, name: string, text: string): string {
  const begin = `<!-- measured: ${name} -->`;
  const start = document.indexOf(begin);
  const end = document.indexOf('<!-- end -->', document.indexOf(begin));
  if (start === -1 || end === -1) throw new Error(`the document has no place for "${name}"`);
  return `${document.slice(0, start)}${begin}\n\n${text}\n\n${document.slice(end)}`;
}

/** Replaces the figures that the document has between the markers of each section. */
export const withSections = (document: string, sections: Found['sections']): string =>
  [...sections].reduce(
    (text, [name, section]) => replaced(text, name, section.figures.map(figures).join('\n\n')),
    document,
  );

/** A document with the results between its markers: the budgets, and each section that ran. */
export function writtenInto(document: string, { about, budgets, sections }: Found): string {
  const rows = table(BUDGET_COLUMNS, budgets.map(budgetRow));
  return withSections(replaced(document, 'budgets', `${about}\n\n${rows}`), sections);
}
