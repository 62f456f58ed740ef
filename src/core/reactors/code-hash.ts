import { createHash } from 'node:crypto';
import type { Image } from './layer.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** Decides what runs besides the code: its image, and the packages that the reactor brings. */
export interface CodeSurroundings {
  readonly image: Image;
  readonly packages?: { readonly digest: string };
}

/**
 * Everything that decides what runs, by which the runtime and stored proxies recognize it, in
 * lower-case hexadecimal: SHA-256 of the code as UTF-8 for `node16` alone; otherwise SHA-256 of
 * lines with the image, that hash and, with packages of the reactor's own, their digest.
 */
export function codeHash(code: string | Buffer, { image, packages }: CodeSurroundings): string {
  if (packages !== undefined) return sha256(`${image}\n${sha256(code)}\n${packages.digest}`);
  return image === 'node16' ? sha256(code) : sha256(`${image}\n${sha256(code)}`);
}
