import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import type { Secret } from '../shared/secret.ts';
import { invalid } from '../shared/service-error.ts';
import type { Image } from './layer.ts';

/**
 * Throws `validation_failed` with the path `code` for a syntax error; does not run the code. With
 * `lenient` it returns a warning instead: the code is stored, and fails when it is invoked.
 */
export async function checkCode(
  code: Secret<string>,
  image: Image,
  compatibility: ClientCompatibility,
): Promise<readonly string[]> {
  // Loads the parser on first use (docs/decisions/0013#load-rare-code-on-first-use).
  const { codeProblem } = await import('./parse-code.ts');
  const problem = codeProblem(code.reveal(), image);
  if (problem === undefined) return [];
  if (compatibility === 'strict') throw invalid('code', problem);
  return [`code ${problem}`];
}
