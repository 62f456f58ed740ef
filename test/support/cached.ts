import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SYNTHESIS_INPUTS } from '../../bin/local/synthesis-inputs.ts';
import { appKey } from '../../packages/local-aws/src/assembly/app-key.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.local/test-templates');
/** All inputs of templates, and of the code that reads them. */
const INPUTS = {
  paths: [
    ...SYNTHESIS_INPUTS.paths,
    ...['test/support/synthesize.ts', 'test/support/table-definitions.ts', 'tools/templates'],
  ],
  environment: SYNTHESIS_INPUTS.environment,
};

let sourceKey: string | undefined;

function read(file: string): { readonly key?: string; readonly value?: unknown } {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    // There is no cache yet, or a power cut has left half of it.
    return {};
  }
}

/**
 * The result of `make` on the source, as JSON: computed once for all test files and runs as long as
 * the source does not change. Changing the returned object does not affect other callers.
 */
export function cached<T>(name: string, make: () => T): T {
  sourceKey ??= appKey({ root: ROOT, program: '', inputs: INPUTS }, {}, process.env);
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
