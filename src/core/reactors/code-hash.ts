import { createHash } from 'node:crypto';
import type { Image } from './layer.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/**
 * Everything that decides what runs, by which the runtime and stored proxies recognize it, in
 * lower-case hexadecimal: SHA-256 of the code as UTF-8 for `node16`; for another image SHA-256 of
 * its name and that hash.
 */
export const codeHash = (code: string | Buffer, image: Image): string =>
  image === 'node16' ? sha256(code) : sha256(`${image}\n${sha256(code)}`);
