import { readFileSync } from 'node:fs';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { UsageError } from './failures.ts';
import type { Surroundings } from './surroundings.ts';

/** Keeps the text of each number, which may have more digits than a number of JavaScript. */
const exact = (_name: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined
    ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source)
    : value;

async function textOf(
  file: string | undefined,
  { ask, readInput }: Pick<Surroundings, 'ask' | 'readInput'>,
): Promise<string> {
  if (file === undefined || file === '-') {
    if (ask !== undefined) throw new UsageError('name a FILE, or send its content to standard input');
    return await readInput();
  }
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${String(errorCode(error))})`);
  }
}

/**
 * Reads an object of JSON from a file, or from standard input without one. Rejects with
 * {@link UsageError}, which has nothing of the content.
 */
export async function readJson(file: string | undefined, surroundings: Surroundings): Promise<object> {
  const text = await textOf(file, surroundings);
  const name = file === undefined || file === '-' ? 'standard input' : file;
  let value: unknown;
  try {
    value = JSON.parse(text, exact);
  } catch {
    throw new UsageError(`${name} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${name} must contain an object`);
  return value;
}
