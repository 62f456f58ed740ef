import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { readManifest } from './published-packages.ts';

/** Packs a built package, as it would be published, into `to`. Returns the tarball's path. */
export function packPackage(folder: string, to: string): string {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', to], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { name, version } = readManifest(folder);
  return join(to, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}
