import { pathToFileURL } from 'node:url';

/** One test that `jest --json` reports. */
export interface JestTest {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'pending' | 'todo' | 'skipped' | 'disabled' | 'focused';
  readonly failureMessages: readonly string[];
}

export interface JestFile {
  /** The path is absolute. */
  readonly name: string;
  /** The failure of the file as a whole, if no test of it failed. */
  readonly message: string;
  readonly status: string;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly JestTest[];
}

export interface JestReport {
  readonly testResults: readonly JestFile[];
}

/** A broken promise: its title, what was expected and received, and the place. */
export interface Failure {
  readonly promise: string;
  readonly found: readonly string[];
  /** Names the file and its line in a format that editors can open. */
  readonly at: string;
  readonly file: string;
}

const LINES = 24;
const WIDTH = 200;
/** A terminal would colour the text by these. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const FRAME = /^\s+at /;

/** The first non-empty lines of a text, as a terminal shows them. */
export function firstLines(text: string): readonly string[] {
  const reported = text
    .replace(COLOURS, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const shown = reported
    .slice(0, LINES)
    .map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH)}...` : line));
  return reported.length > LINES
    ? [...shown, `... ${String(reported.length - LINES)} more lines above`]
    : shown;
}

/** Returns the first lines of a message, and omits its stack. */
function shortened(message: string): readonly string[] {
  const lines = message.split('\n');
  const end = lines.findIndex((line) => FRAME.test(line));
  return firstLines(lines.slice(0, end < 0 ? undefined : end).join('\n'));
}

/** Finds the line of the test file, or of a test helper, in the stack. */
function placeOf(message: string, root: string, file: string): string {
  const frames = message.split('\n').filter((line) => FRAME.test(line) && !line.includes('node_modules'));
  const relative = frames
    // The root may have blanks and brackets.
    .map((line) => line.replace(`${pathToFileURL(root).href}/`, '').replace(`${root}/`, ''))
    .flatMap((line) => /\(?([^()\s]+:\d+):\d+\)?$/.exec(line)?.[1] ?? [])
    // A suite of several projects has a module for each (test/support/shared-modules).
    .map((place) => place.replace(/\?project=[\w-]+/, ''));
  return relative.find((place) => place.startsWith(`${file}:`)) ?? relative[0] ?? file;
}

/** Joins the titles around a test and its own, which together are the promise. */
export const promiseOf = ({ ancestorTitles, title }: JestTest): string =>
  [...ancestorTitles, title].join(' › ');

export function failuresOf({ testResults }: JestReport, root: string): readonly Failure[] {
  return testResults.flatMap(({ name, message, status, assertionResults }) => {
    const file = name.replace(`${root}/`, '');
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed')
      return [
        { promise: `${file} can run`, found: shortened(message), at: placeOf(message, root, file), file },
      ];
    return failed.map((test) => {
      const [first = ''] = test.failureMessages;
      return { promise: promiseOf(test), found: shortened(first), at: placeOf(first, root, file), file };
    });
  });
}
