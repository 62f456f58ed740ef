// `node tools/fetch-node-16.ts x64|arm64`: puts the Node 16 that runs reactors into the cache (lib/reactor-layer.ts calls it where it is missing).
// The binary comes from the npm package that carries it, and is nothing that `npm install` may install: its `node` command would shadow Node 24.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const VERSION = '16.20.2';
const BLOCK = 512;

/** What the registry published (`npm view node-linux-<arch>@16.20.2 dist.integrity`): nothing else is unpacked. */
const TARBALL_SHA512: Readonly<Record<string, string>> = {
  arm64: 'MyXYLwR55kL8fh4+T/pnLFltiys/aQ0QYtT5PZuiiQBksWRCP28LWRACZhFHGPG+jlSxzZDKwRFAjdNY3DaB0Q==',
  x64: 'oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==',
};

/** By npm itself, which knows the registry, its credentials and its proxy; into `folder`. Answers the tarball. */
function download(name: string, folder: string): Buffer {
  try {
    execFileSync('npm', ['pack', `${name}@${VERSION}`, '--pack-destination', folder, '--silent'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    throw new Error(`${name}@${VERSION} cannot be downloaded from the npm registry`, { cause: error });
  }
  return readFileSync(join(folder, `${name}-${VERSION}.tgz`));
}

/** A field of a tar header (POSIX ustar), up to its first NUL. */
const field = (header: Buffer, start: number, end: number): string =>
  header.toString('latin1', start, end).replace(/\0.*$/s, '');

/** The one file of the archive, by its path. */
function fileOf(tar: Buffer, path: string): Buffer {
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(field(header, 124, 136).trim() || '0', 8);
    if (field(header, 0, 100) === path) return tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error(`the package has no ${path}`);
}

function fetchNode16(architecture: string): string {
  const expected = TARBALL_SHA512[architecture];
  if (expected === undefined) throw new Error(`${architecture} is not an architecture: x64 or arm64`);
  const cache = join(import.meta.dirname, '..', '.cache');
  const folder = join(cache, `node-${VERSION}-linux-${architecture}`);
  mkdirSync(folder, { recursive: true });
  // In the cache itself: a rename is atomic within one file system only.
  const work = mkdtempSync(join(cache, 'fetch-'));
  try {
    const name = `node-linux-${architecture}`;
    const tarball = download(name, work);
    const found = createHash('sha512').update(tarball).digest('base64');
    if (found !== expected) {
      throw new Error(
        `${name}@${VERSION} is not what was published: sha512-${found}, expected sha512-${expected}`,
      );
    }
    const binary = join(work, 'node');
    writeFileSync(binary, fileOf(gunzipSync(tarball), 'package/bin/node'));
    chmodSync(binary, 0o755);
    renameSync(binary, join(folder, 'node'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return join(folder, 'node');
}

console.log(fetchNode16(process.argv[2] ?? ''));
