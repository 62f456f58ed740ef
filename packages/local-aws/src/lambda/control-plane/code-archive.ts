import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { AwsError } from '../../aws-service.ts';

/** Lambda's limits for code that is sent in the call itself, zipped and unpacked. */
const MAX_ZIP_BYTES = 50 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 250 * 1024 * 1024;

function invalid(message: string): AwsError {
  return new AwsError('InvalidParameterValueException', 400, message);
}

/** Base64 of the SHA-256, as `CodeSha256` in Lambda's responses. */
export function codeDigest(zip: Uint8Array): string {
  return createHash('sha256').update(zip).digest('base64');
}

function staysInside(name: string): boolean {
  if (name.startsWith('/') || name.includes('\\') || name.includes('\0')) return false;
  return !name.split('/').includes('..');
}

/**
 * The files of a zip by their paths. Throws {@link AwsError} `InvalidParameterValueException` if it
 * is no zip, is too large, or contains a path outside of the target folder.
 */
export function readArchive(zip: Uint8Array): ReadonlyMap<string, Uint8Array> {
  if (zip.length > MAX_ZIP_BYTES)
    throw new AwsError('RequestEntityTooLargeException', 413, 'Zipped size must be smaller than 50 MB');
  let unpackedBytes = 0;
  let files: Readonly<Record<string, Uint8Array>>;
  try {
    files = unzipSync(zip, {
      filter: ({ originalSize }) => (unpackedBytes += originalSize) <= MAX_UNPACKED_BYTES,
    });
  } catch {
    throw invalid('Could not unzip uploaded file. Please check your file, then try to upload again.');
  }
  if (unpackedBytes > MAX_UNPACKED_BYTES)
    throw invalid(`Unzipped size must be smaller than ${String(MAX_UNPACKED_BYTES)} bytes`);
  const outside = Object.keys(files).find((name) => !staysInside(name));
  if (outside !== undefined) throw invalid(`The zip holds a path that leads out of it: ${outside}`);
  return new Map(Object.entries(files));
}

/** Unpacks a zip into an existing folder. Every file is executable: a zip often has no modes. */
export function unpackArchive(zip: Uint8Array, directory: string): void {
  for (const [name, content] of readArchive(zip)) {
    const path = join(directory, name);
    if (name.endsWith('/')) {
      mkdirSync(path, { recursive: true });
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o755 });
  }
}
