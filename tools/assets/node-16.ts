import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_16, NODE_16_VERSION, type ReactorPlatform } from '../../lib/node-16.ts';
import { fetchPublished } from '../published-package.ts';

const PACKAGES = join(import.meta.dirname, '../../packages');

/**
 * The tarballs of Node's own packages on the registry. They cannot be dependencies: each refuses to
 * be installed on another platform, and its `node` command would shadow Node 24.
 */
const TARBALL_SHA512: Readonly<Record<ReactorPlatform, string>> = {
  arm64: 'MyXYLwR55kL8fh4+T/pnLFltiys/aQ0QYtT5PZuiiQBksWRCP28LWRACZhFHGPG+jlSxzZDKwRFAjdNY3DaB0Q==',
  x86_64: 'oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==',
  darwin: 'fPnFeVaWzeMEMv29mjnXw1jCQB7qvh4ID+N637+HFdM0gnXfnYgBPBTOwzbFaIrlVaAtFhRFiaqU27oLzl6Nxw==',
};

/**
 * Fills the package of a platform with its binary and the licence, unless it has them. A build
 * needs the network for it once.
 */
export function fetchNode16(platform: ReactorPlatform, packages = PACKAGES): void {
  const { name } = NODE_16[platform];
  const folder = join(packages, name);
  if (['LICENSE', 'bin/node'].every((file) => existsSync(join(folder, file)))) return;
  const published = {
    name: name.replace('node16-', 'node-'),
    version: NODE_16_VERSION,
    sha512: TARBALL_SHA512[platform],
  };
  fetchPublished(published, folder, [
    { from: 'LICENSE', to: 'LICENSE' },
    { from: 'bin/node', to: 'bin/node', mode: 0o755 },
  ]);
}
