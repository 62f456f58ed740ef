// Names each line that uses a word of tools/docs/plain-words.ts, with what to write instead, and
// each title of a test that says too little. With `--count [FOLDER]`: how often a working copy uses
// each word.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordFindings } from './docs/plain-words.ts';
import { titleFindings } from './docs/test-titles.ts';

/** Written by others, or generated from files that are checked. */
const EXCLUDED =
  /(?:^|\/)(?:THIRD-PARTY-NOTICES\.md|package-lock\.json|docs\/openapi\.json|recorded-answers\.json|plain-words(?:\.test)?\.ts)$/;
/** Files with tests, or with the suites that tests run. */
const TEST = /(?:\.test|-contract)\.ts$/;
const TEXT = /\.(?:[cm]?[jt]s|css|html|json|md|sh|ya?ml)$/;

const [mode, folder = '.'] = process.argv.slice(2);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: folder,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => TEXT.test(file) && !EXCLUDED.test(file));
const findings = files.flatMap((file) =>
  wordFindings(readFileSync(join(folder, file), 'utf8')).map((finding) => ({ file, ...finding })),
);

if (mode === '--count') {
  const counts = Map.groupBy(findings, ({ word }) => word);
  for (const [word, { length }] of [...counts].toSorted())
    console.log(`${word.padEnd(12)} ${String(length)}`);
  console.log(`${'all'.padEnd(12)} ${String(findings.length)}`);
} else {
  for (const { file, line, word, instead } of findings)
    console.error(`${file}:${String(line)}: "${word}": write ${instead}`);
  const titles = files
    .filter((file) => TEST.test(file))
    .flatMap((file) =>
      titleFindings(file, readFileSync(join(folder, file), 'utf8')).map((finding) => ({ file, ...finding })),
    );
  for (const { file, line, title, problem } of titles)
    console.error(`${file}:${String(line)}: the title "${title}" ${problem}: say who does what`);
  process.exitCode = findings.length + titles.length === 0 ? 0 : 1;
}
