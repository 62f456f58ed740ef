import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { synthesis } from './synthesis.ts';

export { ALL_CHANGED, CONSOLE, DOMAIN, EDGE, FIELDS, SECRETS } from './template-settings.ts';

/** The templates of a deployment, whose functions have no code. Throws for invalid settings. */
export const synthesized = (settings: Readonly<Record<string, unknown>> = {}, region?: string): Stack[] =>
  synthesis('templates', settings, region ?? null);
