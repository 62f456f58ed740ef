import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  packageAt,
  packagePath,
  type PackageIndex,
  type PackagePlace,
} from '../../src/core/reactors/package-files.ts';

/** Finds the package in whose text a position is, if it is in one. Both count from 1. */
export type PackageAt = (line: number, column: number) => string | undefined;

/** The packages that a reactor brings. */
export interface OwnPackages extends PackageIndex {
  readonly packageAt: PackageAt;
}

/** The packages beside the code in a folder, as the service wrote them, if there are any. */
export function ownPackagesIn(taskRoot: string): OwnPackages | undefined {
  const index = join(taskRoot, packagePath('index'));
  if (!existsSync(index)) return undefined;
  let places: readonly PackagePlace[] | undefined;
  return {
    ...(JSON.parse(readFileSync(index, 'utf8')) as PackageIndex),
    // Most invocations do not fail, and need no places.
    packageAt(line, column) {
      const file = join(taskRoot, packagePath('places'));
      places ??= JSON.parse(readFileSync(file, 'utf8')) as readonly PackagePlace[];
      return packageAt(places, line, column);
    },
  };
}
