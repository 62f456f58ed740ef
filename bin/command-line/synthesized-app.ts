import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './failures.ts';

/** Rejects a folder that no synthesis has written. */
export function requireApp(folder: string): void {
  if (!existsSync(join(folder, 'manifest.json')))
    throw new UsageError(`${folder} is not a synthesized app, which has a manifest.json`);
}
