// `node tools/fetch-node-16.ts linux-x64|linux-arm64|darwin-x64`: caches the Node 16 of reactors.
// `npm install` must not install its package, whose `node` command would shadow Node 24.
import { join } from 'node:path';
import { cache, fetchPublished } from './published-package.ts';

const VERSION = '16.20.2';

const TARBALL_SHA512: Readonly<Record<string, string>> = {
  'linux-arm64': 'MyXYLwR55kL8fh4+T/pnLFltiys/aQ0QYtT5PZuiiQBksWRCP28LWRACZhFHGPG+jlSxzZDKwRFAjdNY3DaB0Q==',
  'linux-x64': 'oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==',
  'darwin-x64': 'fPnFeVaWzeMEMv29mjnXw1jCQB7qvh4ID+N637+HFdM0gnXfnYgBPBTOwzbFaIrlVaAtFhRFiaqU27oLzl6Nxw==',
};

function fetchNode16(platform: string): string {
  const sha512 = TARBALL_SHA512[platform];
  if (sha512 === undefined)
    throw new Error(`${platform} is not one of ${Object.keys(TARBALL_SHA512).join(', ')}`);
  const folder = join(cache, `node-${VERSION}-${platform}`);
  fetchPublished({ name: `node-${platform}`, version: VERSION, sha512 }, folder, [
    { from: 'bin/node', to: 'node', mode: 0o755 },
  ]);
  return join(folder, 'node');
}

console.log(fetchNode16(process.argv[2] ?? ''));
