import * as z from 'zod/mini';
import { madeOnce } from '../../../src/core/shared/made-once.ts';

const ranges = () => z.optional(z.record(z.string(), z.string()));

/** The members of a package in npm's lock that count here (docs.npmjs.com, package-lock.json). */
const lockEntry = () =>
  z.object({
    name: z.optional(z.string()),
    version: z.optional(z.string()),
    resolved: z.optional(z.string()),
    integrity: z.optional(z.string()),
    link: z.optional(z.boolean()),
    inBundle: z.optional(z.boolean()),
    hasShrinkwrap: z.optional(z.boolean()),
    hasInstallScript: z.optional(z.boolean()),
    license: z.optional(z.unknown()),
    dependencies: ranges(),
    optionalDependencies: ranges(),
    peerDependencies: ranges(),
    peerDependenciesMeta: z.optional(z.record(z.string(), z.object({ optional: z.optional(z.boolean()) }))),
    bundleDependencies: z.optional(z.union([z.boolean(), z.array(z.string())])),
    engines: z.optional(z.unknown()),
    os: z.optional(z.unknown()),
    cpu: z.optional(z.unknown()),
    libc: z.optional(z.unknown()),
  });

export type LockEntry = z.output<ReturnType<typeof lockEntry>>;

export const lockSchema = madeOnce(() =>
  z.object({ lockfileVersion: z.number(), packages: z.record(z.string(), lockEntry()) }),
);

export type Lock = Pick<z.output<ReturnType<typeof lockSchema>>, 'packages'>;

export const manifestSchema = madeOnce(() =>
  z.object({
    dependencies: ranges(),
    devDependencies: ranges(),
    optionalDependencies: ranges(),
    peerDependencies: ranges(),
    overrides: z.optional(z.unknown()),
  }),
);

export type Manifest = z.output<ReturnType<typeof manifestSchema>>;

const FOLDER = 'node_modules/';

/** The name by which code finds the package in this place. */
export const nameAt = (place: string): string => place.slice(place.lastIndexOf(FOLDER) + FOLDER.length);

/** The place of the package whose folder has this place; `''` for a package of the project. */
export const ownerOf = (place: string): string =>
  place.slice(0, Math.max(0, place.lastIndexOf(`/${FOLDER}`)));

/** Returns where Node.js finds a package that the package in a place requires. */
export function placeOf({ packages }: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = ownerOf(folder)) {
    const place = folder === '' ? `${FOLDER}${name}` : `${folder}/${FOLDER}${name}`;
    if (Object.hasOwn(packages, place)) return place;
    if (folder === '') return undefined;
  }
}
