import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appKey } from '../../packages/local-aws/src/assembly/app-key.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.local/test-templates');
/** All that decides what templates become. */
const PATHS = [
  'cdk.json',
  'functions',
  'lib',
  'node_modules/.package-lock.json',
  'packages/sdk/src',
  'reactor-runtime',
  'src',
  'test/support/synthesize.ts',
  'test/support/table-definitions.ts',
  'tools/templates',
];

let sourceKey: string | undefined;

function read(file: string): { readonly key?: string; readonly value?: unknown } {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    // It was not made yet, or a power cut has left half of it.
    return {};
  }
}

/**
 * What `make` makes out of the source, as JSON: made once for all test files and runs while the
 * source stays as it is. Changing it changes nothing for others.
 */
export function kept<T>(name: string, make: () => T): T {
  sourceKey ??= appKey({ root: ROOT, program: '', inputs: { paths: PATHS, environment: [] } }, {}, {});
  const file = join(FOLDER, `${createHash('sha256').update(name).digest('hex')}.json`);
  const found = read(file);
  if (found.key === sourceKey) return found.value as T;
  const text = JSON.stringify({ key: sourceKey, value: make() });
  mkdirSync(FOLDER, { recursive: true });
  const unfinished = `${file}.${randomUUID()}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
  return (JSON.parse(text) as { readonly value: T }).value;
}
