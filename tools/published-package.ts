import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

/** A package of the npm registry from which files are taken without installing it. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /**
   * The registry's checksum (`npm view <name>@<version> dist.integrity`), in base64: nothing else
   * is unpacked.
   */
  readonly sha512: string;
}

export interface WantedFile {
  /** The path that the file has within the package. */
  readonly from: string;
  readonly to: string;
  readonly mode?: number;
}

/**
 * Downloads with npm itself, which knows the registry, its credentials and its proxy, into
 * `folder`. Returns the tarball.
 */
function download({ name, version }: PublishedPackage, folder: string): Buffer {
  try {
    execFileSync('npm', ['pack', `${name}@${version}`, '--pack-destination', folder, '--silent'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    throw new Error(`${name}@${version} cannot be downloaded from the npm registry`, { cause: error });
  }
  return readFileSync(join(folder, `${name}-${version}.tgz`));
}

/** Reads a field of a tar header (POSIX ustar), which ends at its first NUL. */
const field = (header: Buffer, start: number, end: number): string =>
  header.toString('latin1', start, end).replace(/\0.*$/s, '');

/** Reads a file of a tar archive. Throws if there is none. */
export function fileOf(tar: Buffer, path: string): Buffer {
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(field(header, 124, 136).trim() || '0', 8);
    if (field(header, 0, 100) === path) return tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error(`the archive has no ${path}`);
}

/** The cache next to `node_modules`, which can be rebuilt from nothing. */
export const cache = join(import.meta.dirname, '..', '.cache');

/** Puts files of a package into a folder. Throws if the package differs from the published one. */
export function fetchPublished(
  published: PublishedPackage,
  folder: string,
  files: readonly WantedFile[],
): void {
  mkdirSync(cache, { recursive: true });
  // The cache itself contains the temporary folder, because a rename is atomic only within one file
  // system.
  const work = mkdtempSync(join(cache, 'fetch-'));
  try {
    const tarball = download(published, work);
    const found = createHash('sha512').update(tarball).digest('base64');
    if (found !== published.sha512)
      throw new Error(
        `${published.name}@${published.version} is not what was published: sha512-${found}, expected sha512-${published.sha512}`,
      );
    const tar = gunzipSync(tarball);
    for (const { from, to, mode = 0o644 } of files) {
      writeFileSync(join(work, basename(to)), fileOf(tar, `package/${from}`), { mode });
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      renameSync(join(work, basename(to)), join(folder, to));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
