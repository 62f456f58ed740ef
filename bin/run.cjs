'use strict';
// Plain JavaScript, as with-packages.cjs: `node bin/run.cjs PROGRAM` runs a program of this
// repository that is written in TypeScript.
const { resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { withPackages } = require('./with-packages.cjs');

withPackages(() => {
  const [node, , program, ...args] = process.argv;
  const file = resolve(program);
  process.argv = [node, file, ...args];
  void import(pathToFileURL(file));
});
