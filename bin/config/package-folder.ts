import { join } from 'node:path';

/** The package of the command line. In the built package another module says where that is. */
export const PACKAGE = join(import.meta.dirname, '../../packages/cli');
