'use strict';
// Plain JavaScript, as with-packages.cjs: `npm start`, which is `cloakroom start`.
const { spawnSync } = require('node:child_process');
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
  process.argv.splice(2, 0, 'start');
  require('../packages/cli/bin/cloakroom.cjs');
});
