import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { madeOnce } from '../../../src/core/shared/made-once.ts';
import { BundleError } from '../bundle-error.ts';
import { nameAt } from './lock.ts';
import type { NeededPackage } from './prune-lock.ts';

const installedSchema = madeOnce(() =>
  z.object({
    name: z.string(),
    version: z.string(),
    gypfile: z.optional(z.unknown()),
  }),
);

/** A registry leaves these parts of a version out. */
const cleaned = (version: string): string => version.replace(/^[v=\s]+/, '').replace(/\+.*$/s, '');

function checkPackage(folder: string, { place, name, version }: NeededPackage): void {
  const manifest = join(folder, place, 'package.json');
  // npm goes on without an optional package that it cannot install.
  if (!existsSync(manifest)) throw new BundleError(`npm did not install ${nameAt(place)}, which is optional`);
  const parsed = installedSchema().safeParse(JSON.parse(readFileSync(manifest, 'utf8')));
  const found = parsed.data ?? { name: '', version: '' };
  if (found.name !== name || cleaned(found.version) !== cleaned(version))
    throw new BundleError(
      `package-lock.json has the hash of another package for ${name} ${version}: of ${found.name} ${found.version}`,
    );
  if (found.gypfile === true || existsSync(join(folder, place, 'binding.gyp')))
    throw new BundleError(
      `${nameAt(place)} is a native addon (it has a binding.gyp). Reactors cannot load one`,
    );
}

/**
 * Checks that npm has installed the packages that the lock names: a hash proves an archive, and not
 * the name and version beside it. Throws {@link BundleError}.
 */
export function checkInstalled(folder: string, needed: readonly NeededPackage[]): void {
  for (const each of needed) checkPackage(folder, each);
}
