import type { LockEntry } from './lock.ts';

/** Packages that load a native addon, or compile one. */
const HELPERS: readonly string[] = [
  '@mapbox/node-pre-gyp',
  'bindings',
  'cmake-js',
  'nan',
  'node-addon-api',
  'node-gyp',
  'node-gyp-build',
  'node-gyp-build-optional-packages',
  'node-pre-gyp',
  'pkg-prebuilds',
  'prebuild-install',
  'prebuildify',
];

/** Returns what shows in the lock that a package is a native addon. */
export function nativeSignOf(entry: LockEntry): string | undefined {
  const helper = HELPERS.find((name) => Object.hasOwn(entry.dependencies ?? {}, name));
  if (helper !== undefined) return `it requires ${helper}`;
  const isOfPlatform = [entry.os, entry.cpu, entry.libc].some((member) => member !== undefined);
  return isOfPlatform ? 'it is for some platforms alone' : undefined;
}
