import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { assetFolder } from './asset-folder.ts';
import { node16, type ReactorPlatform } from './node-16.ts';

/** The deploy setting `clientCompatibility`. */
export type Compatibility = 'strict' | 'lenient';

/** The folder of the built files that do not depend on it. */
export const IN_EVERY_LAYER = 'every';

/** The first process of a function, which Lambda runs. */
const BOOTSTRAP = 'bootstrap';

export interface ReactorLayer {
  /** It is equal for equal content. */
  readonly hash: string;
  /** The name of the package with its Node, if that is not installed. */
  readonly missing: string | undefined;
  /** Writes the content into a folder. Throws if its Node is not the one that was published. */
  place(folder: string): void;
  /** Writes the content but for Node, in whose place a script says what is missing. */
  placeWithoutNode(folder: string): void;
}

/** Reads the built files, by their path in the layer. */
const builtFiles = (compatibility: Compatibility): ReadonlyMap<string, Buffer> =>
  new Map(
    [IN_EVERY_LAYER, compatibility]
      .map((part) => join(assetFolder('reactor-layer'), part))
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => [relative(folder, file), readFileSync(file)] as const),
      )
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Hard-linked where the file system supports it: 80 MB need not exist twice. */
function link(file: string, to: string): void {
  try {
    linkSync(file, to);
  } catch {
    copyFileSync(file, to);
  }
}

/**
 * The layer of every reactor: `bootstrap`, Node 16, the runtime and the packages for reactor code.
 */
export function reactorLayer(
  platform: ReactorPlatform,
  compatibility: Compatibility = 'strict',
): ReactorLayer {
  const node = node16(platform);
  const files = builtFiles(compatibility);
  const hash = createHash('sha256').update(node.sha256);
  for (const [name, content] of files) hash.update(`${name}\0${String(content.length)}\0`).update(content);
  function placeFiles(folder: string): string {
    for (const [name, content] of files) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { mode: name === BOOTSTRAP ? 0o755 : 0o644 });
    }
    chmodSync(folder, 0o755);
    const program = join(folder, 'bin/node');
    mkdirSync(dirname(program));
    return program;
  }
  return {
    hash: hash.digest('hex'),
    missing: node.missing,
    placeWithoutNode(folder) {
      const text = `#!/bin/sh\necho "Reactors need Node 16: install ${String(node.missing)}" >&2\nexit 1\n`;
      writeFileSync(placeFiles(folder), text, { mode: 0o755 });
    },
    place(folder) {
      const program = placeFiles(folder);
      link(node.verifiedFile(), program);
      // Executable but not readable for other users: the kernel protects a process of such a file
      // from other processes of the same user (proc(5), ptrace(2)).
      chmodSync(program, 0o711);
    },
  };
}
