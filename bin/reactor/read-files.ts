import { readFileSync } from 'node:fs';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { UsageError } from '../command-line/failures.ts';

/** Throws {@link UsageError} that names the file. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${String(errorCode(error))}`);
  }
}

/** Reads JSON for an option. Throws {@link UsageError} unless it is an object or a list. */
export function objectIn(option: string, file: string | undefined): object {
  if (file === undefined) return {};
  const text = textOf(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`--${option}: ${file} is not JSON`);
  }
  if (typeof value !== 'object' || value === null)
    throw new UsageError(`--${option}: ${file} must contain an object`);
  return value;
}

const isText = (entry: unknown): entry is string => typeof entry === 'string';

export function configurationIn(file: string | undefined): Readonly<Record<string, string>> {
  const value = objectIn('configuration', file);
  if (Array.isArray(value) || !Object.values(value).every(isText))
    throw new UsageError(`--configuration: ${String(file)} must contain an object of strings`);
  return value as Record<string, string>;
}
