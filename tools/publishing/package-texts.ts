import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { readManifest } from './published-packages.ts';

const ROOT = join(import.meta.dirname, '../..');

const COPIED = ['package.json', 'CHANGELOG.md', 'bin', 'schema.json'];

/** Links of a package's README lead into the repository, at the version of the package. */
function withAddresses(readme: string, folder: string): string {
  const { homepage, version } = readManifest(folder);
  const directory = relative(ROOT, folder);
  return readme.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_link, path: string) => {
    const target = posix.join(directory, path);
    return `](${String(homepage)}/blob/v${version}/${target})`;
  });
}

/**
 * Copies what a package has beside its code from `from`, its folder in the repository, into the
 * folder that it is built in.
 */
export function writePackageTexts(from: string, folder: string): void {
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  if (folder === from) return;
  for (const file of COPIED.filter((each) => existsSync(join(from, each))))
    cpSync(join(from, file), join(folder, file), { recursive: true });
  writeFileSync(
    join(folder, 'README.md'),
    withAddresses(readFileSync(join(from, 'README.md'), 'utf8'), from),
  );
}
