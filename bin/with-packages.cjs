'use strict';
// Plain JavaScript, since `npm start` and `npm test` run it on any version of Node and without
// packages: it installs those of the lockfile, Node.js 24 among them, and goes on under that.
const { spawn, spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { delimiter, join } = require('node:path');

const ROOT = join(__dirname, '..');
const PROGRAMS = join(ROOT, 'node_modules', '.bin');
/** On Linux a package has it. */
const OWN_NODE = join(PROGRAMS, 'node');
const NO_NETWORK =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT)$/;

const packagesOf = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages;

/** Returns why this process cannot run the project; `undefined` if it can. */
function obstacle() {
  // npm writes this file at the end of an installation.
  if (!existsSync(join(ROOT, 'node_modules', '.package-lock.json'))) return 'The packages are not installed';
  const installed = packagesOf(join('node_modules', '.package-lock.json'));
  const isMissing = ([path, { version, integrity, link, optional }]) => {
    // The manifest itself, and packages of this repository.
    if (link || !path.startsWith('node_modules/')) return false;
    const found = installed[path];
    // Optional packages are for certain platforms.
    return found === undefined ? !optional : found.version !== version || found.integrity !== integrity;
  };
  if (Object.entries(packagesOf('package-lock.json')).some(isMissing))
    return 'The packages are not those of package-lock.json';
  if (process.platform === 'linux' && !existsSync(OWN_NODE)) return 'The package with Node.js 24 is missing';
  return undefined;
}

function fail(message) {
  // Nothing has started that could be interrupted.
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Runs `npm ci` under the Node that npm has: it replaces the one of the packages. */
function install(reason) {
  process.stderr.write(`${reason}. Running npm ci, which takes about a minute\n`);
  const PATH = (process.env.PATH || '')
    .split(delimiter)
    .filter((folder) => folder !== PROGRAMS)
    .join(delimiter);
  const options = ['--include=dev', '--include=optional', '--prefer-offline', '--no-audit', '--no-fund'];
  const { status, stderr, error } = spawnSync('npm', ['ci', ...options, '--loglevel=error'], {
    cwd: ROOT,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (error) fail(`${reason}, and npm does not run: ${error.message}`);
  if (status === 0) return;
  const [, code = ''] = /^npm (?:error|ERR!) code (\w+)$/m.exec(stderr) || [];
  if (!NO_NETWORK.test(code)) fail(`${stderr.trim()}\n${reason}, and npm ci failed`);
  fail(
    `${reason}, and npm reaches no registry (${code}): connect this machine to the network, and try again`,
  );
}

/** Runs this process again under another Node, and ends with its exit code. */
function runAgain(node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, PATH: [PROGRAMS, process.env.PATH].join(delimiter) },
  });
  // The terminal sends Ctrl-C to both.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(error.message));
  child.on('close', (code) => (process.exitCode = code ?? 1));
}

/** Calls `run` if this process is the Node.js of the project, with its packages. */
function withPackages(run) {
  const reason = obstacle();
  if (reason !== undefined) {
    install(reason);
    const left = obstacle();
    if (left !== undefined) fail(`${left}, although npm ci has run`);
  }
  const [major] = process.versions.node.split('.');
  // This process cannot load packages that npm ci has replaced.
  const isRight = Number(major) >= 24 && reason === undefined;
  if (isRight) run();
  else if (process.platform === 'linux') runAgain(OWN_NODE);
  else if (Number(major) >= 24) runAgain(process.execPath);
  else
    fail(
      `This is Node.js ${process.versions.node}, and the project runs on 24. Run: brew install node@24 (or, with nvm: nvm install)`,
    );
}

module.exports = { withPackages };
