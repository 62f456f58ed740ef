'use strict';
// Plain JavaScript, since `npm ci` and `npm install` run it (postinstall) on any version of Node:
// prepares the first `npm start`. It fails no installation; where only the manifests are there yet,
// as in a layer of an image, package.json does not call it.
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const [major] = process.versions.node.split('.');

/** `npm start` reports an old Node. CI starts services with settings of its own. */
const isPointless = Number(major) < 24 || !['', 'false', '0'].includes(process.env.CI ?? '');
/** An installation without development packages cannot synthesize. */
const isPossible = existsSync(join(ROOT, 'node_modules', 'esbuild'));

if (!isPointless && isPossible) {
  // As in start.cjs.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.local', 'compile-cache');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  import('./local/prepare.ts').catch((error) => {
    process.stderr.write(`The first npm start is not prepared and will take longer: ${error.message}\n`);
  });
}
