import { withServiceApp } from '../templates/service-app.ts';

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** All resources of a deployment with these settings, from its synthesized templates. */
export function templateResources(settings: Readonly<Record<string, string>> = {}): readonly Resource[] {
  return withServiceApp(settings, 'us-east-1', (app) =>
    app
      .synth()
      .stacks.flatMap(({ template }) =>
        Object.values((template as { readonly Resources: Readonly<Record<string, Resource>> }).Resources),
      ),
  );
}
