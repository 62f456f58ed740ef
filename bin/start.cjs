'use strict';
// Plain JavaScript, as with-packages.cjs: `npm start`, which then runs bin/local.ts.
const { spawnSync } = require('node:child_process');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { withPackages } = require('./with-packages.cjs');

/**
 * Whether this Mac lacks Rosetta, which runs the Node.js 16 of reactors: that exists for Intel
 * only.
 */
const lacksRosetta = () =>
  process.platform === 'darwin' &&
  process.arch === 'arm64' &&
  spawnSync('arch', ['-x86_64', '/usr/bin/true']).status !== 0;

withPackages(() => {
  if (lacksRosetta())
    process.stderr.write('Reactors need Rosetta. Run: softwareupdate --install-rosetta --agree-to-license\n');
  // Node's compile cache saves about a third of a start without changes. The environment variable
  // is for threads and the synthesis.
  process.env.NODE_COMPILE_CACHE ??= join(__dirname, '..', '.local', 'compile-cache');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  void import('./local.ts');
});
