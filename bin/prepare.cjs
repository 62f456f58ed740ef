'use strict';
// Plain JavaScript, since `npm ci` and `npm install` run it (prepare) on any version of Node:
// activates the git hooks of .githooks, and prepares the first `npm start`. It fails no
// installation; where only the manifests are there yet, as in a layer of an image, package.json
// does not call it.
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const [major] = process.versions.node.split('.');
/** CI makes no commits, and starts services with settings of its own. */
const isInCi = !['', 'false', '0'].includes(process.env.CI ?? '');

const git = (...args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
/** Git exits with 1 for a key without a value, and with another code if something is wrong. */
const hasNoHooks = () => git('config', '--get', 'core.hooksPath').status === 1;

// A path that a person has configured stays. `.git` is a file in a worktree.
if (!isInCi && existsSync(join(ROOT, '.git')) && existsSync(join(ROOT, '.githooks')) && hasNoHooks())
  git('config', '--local', 'core.hooksPath', '.githooks');

/** `npm start` reports an old Node. */
const isPointless = Number(major) < 24 || isInCi;
/** An installation without development packages cannot synthesize. */
const isPossible = existsSync(join(ROOT, 'node_modules', 'esbuild'));

if (!isPointless && isPossible) {
  // As in packages/cli/bin/cloakroom.cjs.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.local', 'compile-cache');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  import('./start/prepare.ts').catch((error) => {
    process.stderr.write(`The first npm start is not prepared and will take longer: ${error.message}\n`);
  });
}
