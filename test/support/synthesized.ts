import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { synthesis, type Result } from './synthesis.ts';
import { BOUNDED } from './template-settings.ts';

export {
  ALL_CHANGED,
  ALL_ON,
  BACKUP,
  CONSOLE,
  DOMAIN,
  EDGE,
  FIELDS,
  LAID,
  LONGEST,
  SECRETS,
  WATCHED,
} from './template-settings.ts';

/** The templates of a deployment, whose functions have no code. Throws for invalid settings. */
export function synthesized(settings: Readonly<Record<string, unknown>> = {}, region?: string): Stack[] {
  return accepted(synthesis('templates', settings, region ?? null));
}

/** The templates of a deployment in an organisation that sets its own permissions boundary. */
export const synthesizedBelowBoundary = (): Stack[] => accepted(synthesis('templates', ...BOUNDED));

function accepted(result: Result<'templates'>): Stack[] {
  if ('refused' in result) throw new Error(result.refused);
  return result;
}
