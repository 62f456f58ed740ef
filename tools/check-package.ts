// `node tools/check-package.ts TARBALL [ENTRY POINT ...]`: checks a packed package with publint and
// "Are the types wrong?", and prints their findings. It does not check the types of the named entry
// points, such as `./browser.min.js`.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const [tarball, ...excludeEntrypoints] = process.argv.slice(2);
if (tarball === undefined) throw new Error('Name the tarball');
const data = new Uint8Array(readFileSync(tarball));

const { messages, pkg } = await publint({ strict: true, pack: { tarball: data.slice().buffer } });
const types = await checkPackage(createPackageFromTarballData(data), { excludeEntrypoints });
const findings = [
  ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`),
  ...(types.types === false
    ? ['types: the package has none']
    : types.problems.map((problem) => `types: ${JSON.stringify(problem)}`)),
];
for (const finding of findings) console.log(finding);
console.log(`${String(findings.length)} findings`);
process.exitCode = findings.length > 0 ? 1 : 0;
