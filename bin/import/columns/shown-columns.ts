import { printable } from '../../command-line/show.ts';

/** Longer names, and names with a run of digits, may be values: a file without a header has them. */
const PLAIN = /^(?!.*\d{5}).{1,64}$/su;

/** The name of a column or member as a message may show it. */
export const shownColumn = (name: string, at: number): string =>
  PLAIN.test(name) ? printable(name) : `column ${String(at + 1)}`;
