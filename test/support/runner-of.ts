import { COMMAND_NAMES, COMMANDS, type OperatorFunction } from '../../src/operator/command-names.ts';

/** The function that runs the command of a payload; the operator for one that there is not. */
export function runnerOf(payload: unknown): OperatorFunction {
  const { command } = (payload ?? {}) as { readonly command?: unknown };
  const name = COMMAND_NAMES.find((each) => each === command);
  return name === undefined ? 'operator' : COMMANDS[name].runsIn;
}
