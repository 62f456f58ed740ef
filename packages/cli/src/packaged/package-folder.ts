import { join } from 'node:path';

/** The folder of the built program, whose files are all in it. */
export const DIST = import.meta.dirname;
export const PACKAGE = join(DIST, '..');
