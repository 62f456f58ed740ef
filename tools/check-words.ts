// Names each line that uses a word of tools/docs/plain-words.ts, with what to write instead, each
// title of a test that a list of failures does not explain, and each comment that is no sentence.
// With `--count [FOLDER]` it prints how often a working copy uses each word.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentFindings } from './docs/comments.ts';
import { wordFindings } from './docs/plain-words.ts';
import { titleFindings } from './docs/test-titles.ts';

/** Others wrote these files, or they are generated from files that are checked. */
const EXCLUDED =
  /(?:^|\/)(?:THIRD-PARTY-NOTICES\.md|package-lock\.json|docs\/openapi\.json|recorded-answers\.json|plain-words(?:\.test)?\.ts)$/;
/** Matches files with tests, and with the suites that tests run. */
const TEST = /(?:\.test|-contract)\.ts$/;
const TITLE_REMEDY =
  'begin with the subject, or with the verb if the `describe` or the file names the subject, and name the outcome';
/** The folders whose comments must be sentences. */
const SENTENCES_IN = [
  'bin/',
  'console/',
  'functions/',
  'lib/',
  'packages/',
  'reactor-runtime/',
  'site/',
  'src/',
  'test/',
  'tools/',
];
const TEXT = /\.(?:[cm]?[jt]sx?|css|html|json|md|sh|ya?ml)$/;

const [mode, folder = '.'] = process.argv.slice(2);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: folder,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => TEXT.test(file) && !EXCLUDED.test(file));
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
const findings = files.flatMap((file) => wordFindings(textOf(file)).map((finding) => ({ file, ...finding })));

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
    .flatMap((file) => titleFindings(file, textOf(file)).map((finding) => ({ file, ...finding })));
  for (const { file, line, title, problem } of titles)
    console.error(`${file}:${String(line)}: the title "${title}" ${problem}: ${TITLE_REMEDY}`);
  const comments = files
    .filter((file) => /\.tsx?$/.test(file) && SENTENCES_IN.some((folder) => file.startsWith(folder)))
    .flatMap((file) => commentFindings(textOf(file)).map((finding) => ({ file, ...finding })));
  for (const { file, line, comment, problem } of comments)
    console.error(
      `${file}:${String(line)}: the comment "${comment}" ${problem}: write a sentence, or delete it`,
    );
  process.exitCode = findings.length + titles.length + comments.length === 0 ? 0 : 1;
}
