import { createRequire } from 'node:module';
import type * as Esbuild from 'esbuild';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { BundleError } from './bundle-error.ts';

export type Bundler = Pick<typeof Esbuild, 'build' | 'version'>;

/**
 * Returns the esbuild of this program, or of the project of a file: the one with the version, if
 * one is asked for. Throws a {@link BundleError}.
 */
export function findEsbuild(file: string, version?: string): Bundler {
  const found: string[] = [];
  for (const from of [import.meta.filename, file])
    try {
      const bundler = createRequire(from)('esbuild') as Bundler;
      if (version === undefined || bundler.version === version) return bundler;
      found.push(bundler.version);
    } catch (error) {
      if (errorCode(error) !== 'MODULE_NOT_FOUND') throw error;
    }
  const [other] = found;
  if (version !== undefined && other !== undefined)
    throw new BundleError(
      `the bundle was built by esbuild ${version}, and ${other} is installed here. Run: npm install esbuild@${version}`,
    );
  const exact = version === undefined ? '' : `@${version}`;
  throw new BundleError(`a bundle needs esbuild, which is not installed. Run: npm install esbuild${exact}`);
}
