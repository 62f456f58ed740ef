import { templatesOf } from '../../tools/templates/service-app.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';

/** Returns the templates in the order in which they are deployed. */
export const synthesize = (settings: Readonly<Record<string, unknown>>, region?: string): Stack[] =>
  Object.entries(templatesOf(settings, region)).map(([name, template]) => ({ name, template }));
