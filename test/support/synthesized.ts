import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { synthesis } from './synthesis.ts';

export { ALL_CHANGED, CONSOLE, DOMAIN, EDGE, FIELDS, LAID, SECRETS } from './template-settings.ts';

/** The templates of a deployment, whose functions have no code. Throws for invalid settings. */
export function synthesized(settings: Readonly<Record<string, unknown>> = {}, region?: string): Stack[] {
  const result = synthesis('templates', settings, region ?? null);
  if ('refused' in result) throw new Error(result.refused);
  return result;
}
