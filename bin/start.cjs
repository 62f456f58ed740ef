'use strict';
// Plain JavaScript, since `npm start` runs it on any version of Node: it reports a missing
// requirement and the command that installs it, then runs bin/local.ts.
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const [major] = process.versions.node.split('.');

/** What prevents this machine from starting the service. */
function missing() {
  if (!existsSync(join(ROOT, 'node_modules', 'zod'))) return 'The packages are not installed. Run: npm ci';
  if (Number(major) >= 24) return undefined;
  const here = `This is Node.js ${process.versions.node}, and the service runs on 24.`;
  return process.platform === 'linux'
    ? `${here} npm ci installs it with the packages. Run: npm ci && npm start`
    : `${here} Run: brew install node@24 (or, with nvm: nvm install)`;
}

/**
 * Whether this Mac lacks Rosetta, which runs the Node.js 16 of reactors: that exists for Intel
 * only.
 */
const lacksRosetta = () =>
  process.platform === 'darwin' &&
  process.arch === 'arm64' &&
  spawnSync('arch', ['-x86_64', '/usr/bin/true']).status !== 0;

const problem = missing();
if (problem !== undefined) {
  // Nothing has started that could be interrupted.
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
if (lacksRosetta())
  process.stderr.write('Reactors need Rosetta. Run: softwareupdate --install-rosetta --agree-to-license\n');
// Node's compile cache saves about a third of a start without changes. The environment variable is
// for threads and the synthesis.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.local', 'compile-cache');
enableCompileCache(process.env.NODE_COMPILE_CACHE);
void import('./local.ts');
