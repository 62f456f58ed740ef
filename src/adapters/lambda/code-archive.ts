import { zipSync } from 'fflate';
import { packageFiles } from '../../core/reactors/package-files.ts';
import type { ReactorArchive } from '../../core/reactors/reactor-functions.ts';

/** Name of the file with the author's code in its archive. The runtime of the layer loads it. */
const FILE = 'reactor.js';

/** A constant time, so that equal code is an equal archive and Lambda sees no change. */
const MODIFIED = new Date('2020-01-01T00:00:00Z');

/** A zip that contains the author's code, and the packages that it brings, if any. */
export function codeArchive({ code, packages }: ReactorArchive): Uint8Array {
  // Lambda requires a file that all may read. The upper half of the attributes is the Unix mode.
  const attributes = { mtime: MODIFIED, os: 3, attrs: 0o100644 << 16 };
  const files = { [FILE]: code.reveal(), ...(packages && packageFiles(packages.reveal())) };
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, [new TextEncoder().encode(text), attributes]]),
    ),
  );
}
