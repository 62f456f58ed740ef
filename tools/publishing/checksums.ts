import { createHash } from 'node:crypto';

/** The lines that `sha256sum --check` reads, in the order of the names. */
export const checksumsOf = (files: ReadonlyMap<string, Uint8Array>): string =>
  [...files]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    .join('');
