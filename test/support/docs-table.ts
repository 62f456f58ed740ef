import { readFileSync } from 'node:fs';

/**
 * The cells of the first table of a page of docs under a heading, row by row, with an empty cell
 * first. A test that compares the code with the page needs no list of its own.
 */
export function tableUnder(file: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = readFileSync(file, 'utf8').split(`\n${heading}\n`);
  const [, table = ''] = /((?:^\|.*\n)+)/m.exec(section) ?? [];
  const rows = table.split('\n').filter((line) => line !== '');
  return rows.slice(2).map((row) => row.split('|').map((cell) => cell.trim()));
}
