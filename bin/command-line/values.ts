import { Option, type Command } from 'commander';
import { UsageError } from './failures.ts';

/** Rejects an empty value, which a variable that is not set leaves. */
export const filled =
  (name: string, parse: (text: string) => unknown = (text) => text) =>
  (text: string): unknown => {
    if (text === '') throw new UsageError(`--${name} must not be empty`);
    return parse(text);
  };

const REPEATABLE = new WeakSet<Option>();

/** An option that may appear several times. Its value is the list. */
export function repeatableOption(flags: string, does: string, parse: (text: string) => unknown): Option {
  const option = new Option(flags, does).argParser((text: string, previous?: readonly unknown[]) => [
    ...(previous ?? []),
    parse(text),
  ]);
  REPEATABLE.add(option);
  return option;
}

/**
 * Makes a command reject any other option that appears twice: a value would be ignored. The command
 * then parses one command line.
 */
export function refuseRepetition(command: Command): void {
  for (const option of command.options.filter((each) => !REPEATABLE.has(each))) {
    let isThere = false;
    command.on(`option:${option.name()}`, () => {
      if (isThere) throw new UsageError(`--${option.name()} appears twice`);
      isThere = true;
    });
  }
}
