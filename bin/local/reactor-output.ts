import { join } from 'node:path';
import { createLogFiles, type Logs } from '../../packages/local-aws/src/lambda/function-logs.ts';

const NAME = 'reactor-output';

/** Prints and stores what reactors write to the console, and their errors. */
export interface ReactorOutput {
  /** Mode 0600; `undefined` if output is only printed. */
  readonly file: string | undefined;
  /** Adds a line that a reactor's function printed. */
  line(functionName: string, line: string): void;
  close(): void;
}

/** The end of the name of a reactor's function (src/adapters/lambda/reactor-function-name.ts). */
const ID = /(.{8})(.{4})(.{4})(.{4})(.{12})$/;

const idOf = (functionName: string): string => functionName.slice(-32).replace(ID, '$1-$2-$3-$4-$5');

/**
 * Removes characters that move the cursor, change the direction of text, or imitate the line of
 * another reactor.
 */
const shown = (line: string): string => line.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

/**
 * Writes each line to the terminal and to a file in `directory`, with the time and the reactor's
 * id. The runtime prints everywhere; on AWS the output is discarded (docs/security.md#logs).
 */
export function createReactorOutput(
  directory: string | undefined,
  print: (text: string) => void,
): ReactorOutput {
  let logs: Logs | undefined;
  return {
    file: directory && join(directory, `${NAME}.log`),
    line: (functionName, line) => {
      const text = `${idOf(functionName)} ${shown(line)}`;
      if (directory !== undefined) (logs ??= createLogFiles(directory)).line(NAME, text);
      print(`${new Date().toISOString()} reactor ${text}\n`);
    },
    close: () => logs?.close(),
  };
}
