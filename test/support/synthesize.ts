import { templatesOf } from '../../tools/templates/service-app.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';

/** The templates of a deployment, in the order of a deployment. */
export const synthesize = (settings: Readonly<Record<string, unknown>>, region?: string): Stack[] =>
  Object.entries(templatesOf(settings, region)).map(([name, template]) => ({ name, template }));
