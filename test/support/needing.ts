import { installationOf, isCi, type Program } from '../../tools/test/programs.ts';

/**
 * Skips tests of a program that npm does not install if it is missing: `npm test` names each of
 * them, and the command that installs the program. Throws if `CI` is set.
 */
export function needing(program: Program): { readonly it: jest.It; readonly describe: jest.Describe } {
  const installation = installationOf(program);
  if (installation === undefined) return { it, describe };
  if (isCi()) throw new Error(`${program} is missing: ${installation}`);
  return { it: it.skip, describe: describe.skip };
}
