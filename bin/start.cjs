'use strict';
// `npm start`. Plain JavaScript, since it runs before it is known which Node this is: it says what
// is missing and by which command it comes, then hands over to bin/local.ts. That the sources are
// kept as Node compiled them takes about a third off a start in which nothing has changed.
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const [major] = process.versions.node.split('.');

/** What keeps this machine from starting the service. */
function missing() {
  if (!existsSync(join(ROOT, 'node_modules', 'zod'))) return 'The packages are not installed. Run: npm ci';
  if (Number(major) >= 24) return undefined;
  const here = `This is Node.js ${process.versions.node}, and the service runs on 24.`;
  return process.platform === 'linux'
    ? `${here} npm ci installs it beside the packages. Run: npm ci && npm start`
    : `${here} Run: brew install node@24 (or, with nvm: nvm install)`;
}

/** Whether this Mac lacks what runs the Node.js 16 of reactors, which exists for Intel alone. */
const lacksRosetta = () =>
  process.platform === 'darwin' &&
  process.arch === 'arm64' &&
  spawnSync('arch', ['-x86_64', '/usr/bin/true']).status !== 0;

const problem = missing();
if (problem !== undefined) {
  // Nothing has begun that could be cut off.
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
if (lacksRosetta())
  process.stderr.write('Reactors need Rosetta. Run: softwareupdate --install-rosetta --agree-to-license\n');
// By the environment too: threads and the synthesis begin with theirs.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.local', 'compile-cache');
enableCompileCache(process.env.NODE_COMPILE_CACHE);
void import('./local.ts');
