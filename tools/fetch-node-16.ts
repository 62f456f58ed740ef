// `node tools/fetch-node-16.ts x64|arm64`: puts the Node 16 that runs reactors into the cache
// (lib/reactor-layer.ts calls it where it is missing). The binary comes from the npm package that
// carries it, and is nothing that `npm install` may install: its `node` command would shadow Node
// 24.
import { join } from 'node:path';
import { cache, fetchPublished } from './published-package.ts';

const VERSION = '16.20.2';

const TARBALL_SHA512: Readonly<Record<string, string>> = {
  arm64: 'MyXYLwR55kL8fh4+T/pnLFltiys/aQ0QYtT5PZuiiQBksWRCP28LWRACZhFHGPG+jlSxzZDKwRFAjdNY3DaB0Q==',
  x64: 'oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==',
};

function fetchNode16(architecture: string): string {
  const sha512 = TARBALL_SHA512[architecture];
  if (sha512 === undefined) throw new Error(`${architecture} is not an architecture: x64 or arm64`);
  const folder = join(cache, `node-${VERSION}-linux-${architecture}`);
  fetchPublished({ name: `node-linux-${architecture}`, version: VERSION, sha512 }, folder, [
    { from: 'bin/node', to: 'node', mode: 0o755 },
  ]);
  return join(folder, 'node');
}

console.log(fetchNode16(process.argv[2] ?? ''));
