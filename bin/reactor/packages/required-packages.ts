import { isBuiltin } from 'node:module';
import { dirname, relative } from 'node:path';
import type { BuildFailure, Plugin } from 'esbuild';
import { AUTHOR_PACKAGES, FIELD_SDK, SDK } from '../../../src/core/reactors/author-packages.ts';
import { PACKAGE_LIMITS, packageOf, refusedName } from '../../../src/core/reactors/package-bundle.ts';
import { BundleError } from '../bundle-error.ts';
import type { Bundler } from '../find-esbuild.ts';
import type { Manifest } from './lock.ts';

export interface RequiredPackages {
  /** The names that a bundle is to have, in order. */
  readonly specifiers: readonly string[];
  /** The names that the runtime has. */
  readonly provided: readonly string[];
}

/** Returns the names of packages that code requires, and the files that it requires by a path. */
async function namesIn(file: string, { build }: Bundler): Promise<ReadonlyMap<string, string>> {
  const directory = dirname(file);
  const found = new Map<string, string>();
  const collect: Plugin = {
    name: 'collect',
    setup: (bundler) => {
      bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
        if (kind === 'entry-point') return undefined;
        if (!found.has(path)) found.set(path, relative(directory, importer));
        return { path, external: true };
      });
    },
  };
  await build({
    absWorkingDir: directory,
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    tsconfigRaw: {},
    plugins: [collect],
    logLevel: 'silent',
  }).catch((error: unknown) => {
    const { errors } = error as BuildFailure;
    const lines = errors.map(({ text, location }) =>
      location === null ? text : `${location.file}:${String(location.line)}: ${text}`,
    );
    throw new BundleError(lines.join('\n'), { cause: error });
  });
  return found;
}

/** Whether a layer has it under exactly this name. */
function isProvided(specifier: string, isLenient: boolean): boolean {
  if (specifier === SDK || isBuiltin(specifier)) return true;
  if (specifier === FIELD_SDK) return isLenient;
  return AUTHOR_PACKAGES.some(({ specifiers }) => specifiers.includes(specifier));
}

/**
 * Sorts the names of packages that the code in a file requires: the runtime has some, and a bundle
 * the rest. The author's own version of a package of the runtime is one in `dependencies`. Rejects
 * with {@link BundleError}.
 */
export async function requiredPackages(
  file: string,
  bundler: Bundler,
  options: { readonly manifest: Manifest; readonly isLenient: boolean },
): Promise<RequiredPackages> {
  const { manifest, isLenient } = options;
  const specifiers: string[] = [];
  const provided: string[] = [];
  const refused: string[] = [];
  for (const [specifier, importer] of await namesIn(file, bundler)) {
    const name = packageOf(specifier);
    const isOwn = !isBuiltin(specifier) && Object.hasOwn(manifest.dependencies ?? {}, name);
    const reason = refusedName(specifier);
    if (isProvided(specifier, isLenient) && (!isOwn || reason !== undefined)) provided.push(specifier);
    else if (reason !== undefined) refused.push(`${importer}: ${JSON.stringify(specifier)} ${reason}`);
    else specifiers.push(specifier);
  }
  if (refused.length > 0) throw new BundleError(refused.join('\n'));
  if (specifiers.length > PACKAGE_LIMITS.specifiers)
    throw new BundleError(
      `the code requires ${String(specifiers.length)} names, of ${String(PACKAGE_LIMITS.specifiers)} that a bundle may have`,
    );
  return { specifiers: specifiers.toSorted(), provided: provided.toSorted() };
}
