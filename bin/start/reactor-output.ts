import { join } from 'node:path';
import { createLogFiles, type Logs } from '../../packages/local-aws/src/account-logs.ts';
import { shownLine } from './shown-line.ts';

const NAME = 'reactor-output';

/** A line that a reactor printed, without the id of the reactor. */
export interface OutputLine {
  /** Counts the lines of all reactors, from 1. */
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

/** Prints and stores what reactors write to the console, and their errors. */
export interface ReactorOutput {
  /** Mode 0600; `undefined` if output is only printed. */
  readonly file: string | undefined;
  /** Adds a line that a reactor's function printed. */
  line(functionName: string, line: string): void;
  /** Returns the latest lines of a reactor, after the line with this number. */
  recent(reactorId: string, after: number): readonly OutputLine[];
  close(): void;
}

/** Lines in memory, of all reactors together. */
const RECENT_LINES = 1_000;

/** The end of the name of a reactor's function (src/adapters/lambda/reactor-function-name.ts). */
const ID = /(.{8})(.{4})(.{4})(.{4})(.{12})$/;

const idOf = (functionName: string): string => functionName.slice(-32).replace(ID, '$1-$2-$3-$4-$5');

/**
 * Writes each line to the terminal and to a file in `directory`, with the time and the reactor's
 * id. The runtime prints everywhere; on AWS the output is discarded (docs/security.md#logs).
 */
export function createReactorOutput(
  directory: string | undefined,
  print: (text: string) => void,
): ReactorOutput {
  let logs: Logs | undefined;
  let count = 0;
  const latest: (OutputLine & { readonly reactorId: string })[] = [];
  return {
    file: directory && join(directory, `${NAME}.log`),
    line: (functionName, line) => {
      const reactorId = idOf(functionName);
      const visible = shownLine(line);
      const at = new Date().toISOString();
      const text = `${reactorId} ${visible}`;
      latest.push({ reactorId, number: (count += 1), at, text: visible });
      if (latest.length > RECENT_LINES) latest.shift();
      if (directory !== undefined) (logs ??= createLogFiles(directory)).line(NAME, text);
      print(`${at} reactor ${text}\n`);
    },
    recent: (wanted, after) =>
      latest
        .filter(({ reactorId, number }) => reactorId === wanted && number > after)
        .map(({ number, at, text }) => ({ number, at, text })),
    close: () => logs?.close(),
  };
}
