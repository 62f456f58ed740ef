import { withServiceApp } from '../templates/service-app.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** Synthesizes a deployment with these settings, and returns the resources of its templates. */
export function templateResources(settings: Readonly<Record<string, string>> = {}): readonly Resource[] {
  return withServiceApp(settings, { region: 'us-east-1' }, (app) =>
    app
      .synth()
      .stacks.flatMap(({ template }) =>
        Object.values((template as { readonly Resources: Readonly<Record<string, Resource>> }).Resources),
      ),
  );
}
