/** The archive of the code has a reactor's own packages in this folder. */
export const PACKAGES_FOLDER = 'packages';

/** The files in that folder, which the runtime of the layer reads. */
export const PACKAGE_FILES = { code: 'code.cjs', index: 'index.json', places: 'places.json' } as const;

/** Where the text of another package begins: line, column (both from 1) and name of the package. */
export type PackagePlace = readonly [line: number, column: number, name: string];

/** Describes a reactor's own packages. */
export interface PackageIndex {
  readonly digest: string;
  /** The names that code can require. */
  readonly specifiers: readonly string[];
}

interface PackageTexts extends PackageIndex {
  readonly code: string;
  readonly places: readonly PackagePlace[];
}

/** Returns the path that a file of packages has in the archive of the code. */
export const packagePath = (name: keyof typeof PACKAGE_FILES): string =>
  `${PACKAGES_FOLDER}/${PACKAGE_FILES[name]}`;

/** Makes the files of packages beside the code of their reactor, by their paths. */
export function packageFiles({
  code,
  places,
  digest,
  specifiers,
}: PackageTexts): Readonly<Record<string, string>> {
  const index: PackageIndex = { digest, specifiers };
  return {
    [packagePath('code')]: code,
    [packagePath('index')]: JSON.stringify(index),
    [packagePath('places')]: JSON.stringify(places),
  };
}

/** The package in whose text a position is, if it is in one. */
export function packageAt(places: readonly PackagePlace[], line: number, column: number): string | undefined {
  let found: string | undefined;
  for (const [ofLine, ofColumn, name] of places) {
    if (ofLine > line || (ofLine === line && ofColumn > column)) break;
    found = name;
  }
  return found;
}
