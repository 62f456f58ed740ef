import { installationOf, type Program } from '../../tools/test/programs.ts';

/**
 * Skips tests of a program that npm does not install if it is missing: `npm test` names each of
 * them, and the command that installs the program, and fails if `CI` is set.
 */
export function needing(program: Program): { readonly it: jest.It; readonly describe: jest.Describe } {
  if (installationOf(program) === undefined) return { it, describe };
  return { it: it.skip, describe: describe.skip };
}
