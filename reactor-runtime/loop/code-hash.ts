import { createHash } from 'node:crypto';

/** Returns SHA-256 in lower-case hexadecimal. */
export const codeHash = (code: Buffer): string => createHash('sha256').update(code).digest('hex');
