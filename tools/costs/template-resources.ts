import { App } from 'aws-cdk-lib';
import { buildService } from '../../lib/service.ts';
import { parseSettings } from '../../lib/settings.ts';

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** All resources of a deployment with these settings, from its synthesized templates. */
export function templateResources(settings: Readonly<Record<string, string>> = {}): readonly Resource[] {
  const app = new App({ analyticsReporting: false });
  buildService(app, parseSettings(settings), 'us-east-1');
  return app
    .synth()
    .stacks.flatMap(({ template }) =>
      Object.values((template as { readonly Resources: Readonly<Record<string, Resource>> }).Resources),
    );
}
