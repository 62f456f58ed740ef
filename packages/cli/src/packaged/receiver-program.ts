import { join } from 'node:path';
import { DIST } from './package-folder.ts';

/** Takes the place of bin/receiver/receiver-program.ts: the program has the SDK in it. */
export const receiverProgram = (): string => join(DIST, 'webhook-receiver.mjs');
