import { createHash } from 'node:crypto';
import type { Image } from './layer.ts';

const sha256 = (...contents: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('hex');
};

/** Hashes a text as UTF-8, in lower-case hexadecimal. */
export const textHash = (text: string): string => sha256(text);

/** No code begins with this byte, since UTF-8 has none: no code has the hash of other code. */
const NO_CODE = Buffer.of(0xff);

/** Decides what runs besides the code: its image, and the packages that the reactor brings. */
export interface CodeSurroundings {
  readonly image: Image;
  readonly packages?: { readonly digest: string };
}

/**
 * Everything that decides what runs, by which the runtime and stored proxies recognize it, in
 * lower-case hexadecimal: SHA-256 of the code as UTF-8 for `node16` alone; otherwise SHA-256 of the
 * byte 0xff and lines with the image, that hash and, with packages of the reactor's own, their
 * digest.
 */
export const codeHash = (code: string | Buffer, surroundings: CodeSurroundings): string =>
  codeHashOfDigest(codeDigest(code), surroundings);

/** Is SHA-256 of the code as UTF-8, in lower-case hexadecimal. */
export const codeDigest = (code: string | Buffer): string => sha256(code);

/** {@link codeHash} of code of which only the {@link codeDigest} is known. */
export function codeHashOfDigest(digest: string, { image, packages }: CodeSurroundings): string {
  if (image === 'node16' && packages === undefined) return digest;
  const lines = [image, digest, ...(packages === undefined ? [] : [packages.digest])];
  return sha256(NO_CODE, lines.join('\n'));
}
