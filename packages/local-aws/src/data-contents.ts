import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { damaged } from './storage-failure.ts';
import { writeFileWhole } from './write-file-whole.ts';

/**
 * Files that a store would silently create again, and so lose. A store notices other missing files
 * itself.
 */
const FILES = ['dynamodb/dynamodb/CURRENT', 'kms/kms-keys.json', 'sqs/fauxqs.db', 'clock.json'];

const LIST = 'contents.json';
const isThere = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
const list = z.array(z.string());

function recorded(directory: string): readonly string[] {
  const file = join(directory, LIST);
  if (!existsSync(file)) return [];
  try {
    return list.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw damaged(file, 'it does not hold a list of files', error);
  }
}

/**
 * Throws an Error that names the file if a data folder lacks one that an earlier start left. A
 * folder without a successful start lacks nothing.
 */
export function requireContents(directory: string): void {
  for (const name of recorded(directory))
    if (!isThere(join(directory, name))) throw damaged(directory, `${name} is missing or empty`);
}

/** Records the files that the next start must find. */
export async function recordContents(directory: string): Promise<void> {
  const present = FILES.filter((name) => isThere(join(directory, name)));
  if (present.join() === recorded(directory).join()) return;
  await writeFileWhole(join(directory, LIST), JSON.stringify(present));
}
