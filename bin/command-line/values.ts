import { Option, type Command } from 'commander';
import { UsageError } from './failures.ts';

/** Rejects an empty value, which a variable that is not set leaves. */
export const filled =
  (name: string, parse: (text: string) => unknown = (text) => text) =>
  (text: string): unknown => {
    if (text === '') throw new UsageError(`--${name} must not be empty`);
    return parse(text);
  };

/** An option that may appear several times. Its value is the list. */
export class RepeatedOption extends Option {
  constructor(flags: string, does: string, parse: (text: string) => unknown) {
    super(flags, does);
    this.argParser((text: string, previous?: readonly unknown[]) => [...(previous ?? []), parse(text)]);
  }
}

/** Makes a command reject any other option that appears twice: a value would be ignored. */
export function refuseRepetition(command: Command): void {
  for (const option of command.options.filter((each) => !(each instanceof RepeatedOption))) {
    let isThere = false;
    command.on(`option:${option.name()}`, () => {
      if (isThere) throw new UsageError(`--${option.name()} appears twice`);
      isThere = true;
    });
  }
}
