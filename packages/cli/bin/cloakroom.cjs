#!/usr/bin/env node
'use strict';
// Plain JavaScript, since any Node.js may run it: `cloakroom` of this package. In the repository it
// runs the sources, in a published package the program that was built from them.

const NEEDED = 24;

function run() {
  const { existsSync } = require('node:fs');
  const { enableCompileCache } = require('node:module');
  const { join } = require('node:path');
  if (!existsSync(join(__dirname, '..', 'src', 'program.ts'))) {
    void import('../dist/program.mjs');
    return;
  }
  // Node's compile cache saves about a third of a start without changes. The environment variable
  // is for threads and the synthesis.
  process.env.NODE_COMPILE_CACHE =
    process.env.NODE_COMPILE_CACHE || join(__dirname, '..', '..', '..', '.local', 'compile-cache');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  void import('../src/program.ts');
}

const [major] = process.versions.node.split('.');
if (Number(major) >= NEEDED) run();
else {
  process.stderr.write(`cloakroom needs Node.js ${NEEDED} or later, and this is ${process.versions.node}\n`);
  process.exitCode = 2;
}
