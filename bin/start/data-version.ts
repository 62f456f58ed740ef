import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileWhole } from '../../packages/local-aws/src/write-file-whole.ts';
import { UsageError } from '../command-line/failures.ts';
import manifest from '../../package.json' with { type: 'json' };

const FILE = 'version.json';
const written = z.object({ version: z.string().regex(/^\d+\.\d+\.\d+$/) });

/** The version in a data folder; `undefined` if none or another program wrote it. */
function versionIn(directory: string): string | undefined {
  const file = join(directory, FILE);
  if (!existsSync(file)) return undefined;
  try {
    return written.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
  } catch {
    throw new UsageError(`${file} has no version: it was not written by cloakroom start`);
  }
}

function isLater(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number));
  const at = a?.findIndex((part, index) => part !== b?.[index]) ?? -1;
  return at >= 0 && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}

/** A start makes one of these first; one that was stopped at its first steps left no version. */
const MADE_FIRST = ['lock', 'logs', 'dynamodb', 'kms', 'sqs'];

/** Whether a folder has files, and none of a start. */
function isOfOthers(directory: string): boolean {
  if (!existsSync(directory)) return false;
  const names = readdirSync(directory).filter((name) => !/^\.|^lost\+found$/.test(name));
  return names.length > 0 && !names.some((name) => MADE_FIRST.includes(name));
}

/**
 * Throws if a newer version has written a data folder, whose formats this one may not know, or if
 * it has files of something else. A service without one is in memory.
 */
export function requireVersion(directory: string | undefined, version = manifest.version): void {
  if (directory === undefined) return;
  const found = versionIn(directory);
  if (found === undefined && isOfOthers(directory))
    throw new UsageError(`--data: ${directory} has other files: name a new folder, or one of a start`);
  if (found !== undefined && isLater(found, version))
    throw new UsageError(
      `${directory} was written by cloakroom ${found}, and this is ${version}: use that version, or another folder`,
    );
}

/** Records in a data folder that this version has written it. */
export async function recordVersion(
  directory: string | undefined,
  version = manifest.version,
): Promise<void> {
  if (directory === undefined || versionIn(directory) === version) return;
  mkdirSync(directory, { recursive: true });
  await writeFileWhole(join(directory, FILE), JSON.stringify({ version }));
}
