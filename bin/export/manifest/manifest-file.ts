import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import { manifestText, parseManifest, type Manifest } from './manifest.ts';
import type { Sign } from './sign.ts';

/** Replaces a file by another one at once, which only its owner can read. */
function replaceFile(file: string, text: string): void {
  const next = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  const descriptor = openSync(next, 'wx', 0o600);
  try {
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Reads the manifest of an earlier run. Throws {@link UsageError} for a file that is none. */
export function readManifest(file: string): Manifest | undefined {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new UsageError(`--manifest ${file}: cannot be read (${String(errorCode(error))})`);
  }
  const manifest = parseManifest(content);
  if (manifest === undefined) throw new UsageError(`--manifest ${file}: is no manifest of an export`);
  return manifest;
}

/** Writes a manifest, and its signature before it if it is complete. */
export function writeManifest(file: string, manifest: Manifest, sign?: Sign): void {
  const text = manifestText(manifest);
  try {
    if (manifest.complete && sign !== undefined) replaceFile(`${file}.sig`, `${sign(text)}\n`);
    replaceFile(file, text);
  } catch (error) {
    const code = errorCode(error);
    if (typeof code !== 'string') throw error;
    throw new CommandFailure(`--manifest ${file}: cannot be written (${code})`);
  }
}
