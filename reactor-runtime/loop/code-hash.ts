import { createHash } from 'node:crypto';

/** Lower-case hexadecimal SHA-256. */
export const codeHash = (code: Buffer): string => createHash('sha256').update(code).digest('hex');
