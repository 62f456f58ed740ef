import { withServiceApp } from '../../tools/templates/service-app.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';

/** The templates of a deployment, with the sections and properties that they leave out. */
export const synthesize = (settings: Readonly<Record<string, unknown>>, region?: string): Stack[] =>
  withServiceApp(settings, region, (app) =>
    app.synth().stacks.map(({ stackName, template }) => {
      const { Parameters = {}, Conditions = {}, Resources, Outputs = {} } = template;
      for (const resource of Object.values<{ Properties?: unknown }>(Resources)) resource.Properties ??= {};
      return { name: stackName, template: { Parameters, Conditions, Resources, Outputs } };
    }),
  );
