import type { Failure } from './protocol.ts';

/** All fields of a form fail alike, so a line is written once. */
const written = new Set<string>();

/** Writes a failure that no listener of the page takes. Neither its code nor its text has data. */
export function writeUnheard({ code, message }: Pick<Failure, 'code' | 'message'>): void {
  const line = `Card fields: ${code}: ${message}`;
  if (written.has(line)) return;
  written.add(line);
  console.error(line);
}
