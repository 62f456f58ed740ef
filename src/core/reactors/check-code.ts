import type { Secret } from '../shared/secret.ts';

/**
 * Throws `validation_failed` on the path `code` if it has a syntax error; runs nothing. Loads the
 * parser when it is first needed (docs/decisions/0026-load-rare-code-on-first-use.md).
 */
export async function checkCode(code: Secret<string>): Promise<void> {
  const { parseCode } = await import('./parse-code.ts');
  parseCode(code.reveal());
}
