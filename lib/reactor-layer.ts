import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Image } from '../src/core/reactors/layer.ts';
import { assetFolder } from './asset-folder.ts';
import { reactorNode, type ReactorPlatform } from './reactor-node.ts';

/** The deploy setting `clientCompatibility`. */
export type Compatibility = 'strict' | 'lenient';

/** The folder of the built files that do not depend on it. */
export const IN_EVERY_LAYER = 'every';

/** The first process of a function, which Lambda runs. */
const BOOTSTRAP = 'bootstrap';

export interface ReactorLayer {
  /** It is equal for equal content. */
  readonly hash: string;
  /** Writes the content into a folder. Throws if its Node is not the one that was published. */
  place(folder: string): void;
  /**
   * Writes the content for a process of this machine, which runs the installed Node itself. A
   * script in place of a missing one says so.
   */
  placeHere(folder: string): void;
}

/** Reads the built files, by their path in the layer. */
const builtFiles = (image: Image, compatibility: Compatibility): ReadonlyMap<string, Buffer> =>
  new Map(
    [IN_EVERY_LAYER, compatibility]
      .map((part) => join(assetFolder('reactor-layer'), image, part))
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => [relative(folder, file), readFileSync(file)] as const),
      )
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/**
 * The layer of the reactors of an image: `bootstrap`, Node.js, the runtime and the packages for
 * reactor code.
 */
export function reactorLayer(
  image: Image,
  platform: ReactorPlatform,
  compatibility: Compatibility = 'strict',
): ReactorLayer {
  const node = reactorNode(image, platform);
  const files = builtFiles(image, compatibility);
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
    place(folder) {
      // Executable but not readable for other users: the kernel protects a process of such a file
      // from other processes of the same user (proc(5), ptrace(2)). It is a copy, since the file of
      // the package has other users.
      const program = placeFiles(folder);
      writeFileSync(program, node.verified());
      chmodSync(program, 0o711);
    },
    placeHere(folder) {
      const program = placeFiles(folder);
      if (node.file !== undefined) symlinkSync(node.file, program);
      else writeFileSync(program, `#!/bin/sh\necho "${node.remedy}" >&2\nexit 1\n`, { mode: 0o755 });
    },
  };
}
