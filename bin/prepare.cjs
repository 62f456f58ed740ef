'use strict';
// Plain JavaScript, since `npm ci` and `npm install` run it (postinstall) on any version of Node:
// prepares the first `npm start`. It never fails an installation.
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const [major] = process.versions.node.split('.');

/** `npm start` reports an old Node. CI starts services with settings of its own. */
const isPointless = Number(major) < 24 || Boolean(process.env.CI);
/** An installation without development packages cannot synthesize. */
const isPossible = existsSync(join(ROOT, 'node_modules', 'esbuild'));

if (!isPointless && isPossible) {
  // As in start.cjs.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.local', 'compile-cache');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  void import('./local/prepare.ts');
}
