import { runCommandLine } from '../../packages/cli/src/run-command-line.ts';
import type { ConfigSurroundings } from '../../bin/config/config-surroundings.ts';
import type { StreamSurroundings } from '../../bin/command-line/stream-surroundings.ts';
import type { ImportSurroundings } from '../../bin/import/import-surroundings.ts';
import type { AccountSurroundings } from '../../bin/check-account/check-account.ts';
import type { OperatorSurroundings } from '../../bin/operator/operate.ts';

/** The end of a command line: its exit code, and what it printed. */
export interface CommandOutcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command line of `cloakroom` in this process. Its output goes to a terminal, which answers
 * no question.
 */
export async function commandLine(
  args: readonly string[],
  more: Partial<OperatorSurroundings & AccountSurroundings & ConfigSurroundings & ImportSurroundings> = {},
): Promise<CommandOutcome> {
  let out = '';
  let err = '';
  const surroundings: OperatorSurroundings & StreamSurroundings & AccountSurroundings = {
    print: (text) => (out += text),
    printError: (text) => (err += text),
    isTerminal: true,
    environment: {},
    readInput: () => Promise.resolve(''),
    ...more,
  };
  const exitCode = await runCommandLine(args, surroundings);
  return { exitCode, out, err };
}
