import { CommanderError, type Command } from 'commander';
import { CommandFailure, UsageError } from '../../../bin/command-line/failures.ts';
import { printable } from '../../../bin/command-line/show.ts';
import type { Surroundings } from '../../../bin/command-line/surroundings.ts';
import { createProgram } from './create-program.ts';

const DONE = 0;
const FAILED = 1;
const USED_WRONGLY = 2;

/**
 * `help` becomes `--help` of the command that follows, or only that command if there is none of
 * this name: it is then rejected with the nearest one. Commander would print the help of the whole
 * program.
 */
export function withHelpOption(args: readonly string[], program: Command): readonly string[] {
  let command: Command = program;
  let isHelp = false;
  const path: string[] = [];
  for (const [at, word] of args.entries()) {
    if (command.commands.length === 0 || word.startsWith('-')) {
      const rest = args.slice(at);
      return isHelp ? [...path, '--help'] : [...path, ...rest];
    }
    if (word === 'help') {
      isHelp = true;
      continue;
    }
    path.push(word);
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return isHelp ? path : args;
    command = next;
  }
  return isHelp ? [...path, '--help'] : args;
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [message = ''] = error.message.split('\n');
  // An error of a class of its own may say little without its name.
  const isForPeople =
    error instanceof UsageError || error instanceof CommandFailure || error.name === 'Error';
  return isForPeople ? message : `${error.name}: ${message}`;
}

/** Runs a command line. Resolves with its exit code; prints every error in one line. */
export async function runCommandLine(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = DONE;
  try {
    const program = await createProgram(args, surroundings, (code = FAILED) => {
      exitCode = code;
    });
    await program.parseAsync(withHelpOption(args, program), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed it; help and version are no failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USED_WRONGLY;
    surroundings.printError(`cloakroom: ${printable(problemOf(error))}\n`);
    return error instanceof UsageError ? USED_WRONGLY : FAILED;
  }
}
