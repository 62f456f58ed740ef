import { installationOf, isCi, type Program } from '../../tools/test/programs.ts';

/**
 * The `it` and `describe` of tests that run a program which npm does not install. If it is missing,
 * they are skipped: `npm test` names each of them, and the command that installs the program.
 * Throws if `CI` is set.
 */
export function needing(program: Program): { readonly it: jest.It; readonly describe: jest.Describe } {
  const installation = installationOf(program);
  if (installation === undefined) return { it, describe };
  if (isCi()) throw new Error(`${program} is missing: ${installation}`);
  return { it: it.skip, describe: describe.skip };
}
