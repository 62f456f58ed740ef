import { format } from 'oxfmt';
import { MARKDOWN_OPTIONS, OPTIONS } from '../oxfmt.config.ts';

/**
 * Formats a text as `npm run format` does, for a program that writes it to a path whose ending is
 * its language. Rejects for a text that is not of that language.
 */
export async function formatted(path: string, text: string): Promise<string> {
  const options = path.endsWith('.md') ? { ...OPTIONS, ...MARKDOWN_OPTIONS } : OPTIONS;
  const { code, errors } = await format(path, text, options);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
