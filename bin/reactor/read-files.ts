import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import {
  PackageBundleError,
  readBundle,
  type PackageBundle,
} from '../../src/core/reactors/package-bundle.ts';
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

/**
 * Reads the packages that `reactor bundle` has written. Rejects with {@link UsageError} for another
 * file.
 */
export async function bundleIn(option: string, file: string): Promise<PackageBundle> {
  const { dependencies, bundle } = objectIn(option, file) as Readonly<Record<string, unknown>>;
  const refused = (reason: string) =>
    new UsageError(`--${option}: ${file} is not what reactor bundle writes: ${reason}`);
  if (typeof bundle !== 'string') throw refused('it has no bundle');
  const read = await readBundle(bundle).catch((error: unknown) => {
    if (!(error instanceof PackageBundleError)) throw error;
    throw refused(`its bundle ${error.message}`);
  });
  if (!isDeepStrictEqual(dependencies, read.dependencies))
    throw refused('its dependencies are not those of its bundle');
  return read;
}
