import { printable } from '../../command-line/show.ts';

/** Other names may be values: a file without a header has them in its place. */
const PLAIN = /^(?!.*\d{5}).{1,64}$/su;

/** The name of a column or member as a message may show it. */
export const shownColumn = (name: string, at: number): string =>
  PLAIN.test(name) ? printable(name) : `column ${String(at + 1)}`;
