import type { Secret } from '../shared/secret.ts';

/**
 * Throws `validation_failed` with the path `code` for a syntax error; does not run the code. Loads
 * the parser on first use (docs/decisions/0026-load-rare-code-on-first-use.md).
 */
export async function checkCode(code: Secret<string>): Promise<void> {
  const { parseCode } = await import('./parse-code.ts');
  parseCode(code.reveal());
}
