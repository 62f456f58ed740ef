import type { Plugin } from 'esbuild';

/** A change of such a property replaces its resource, or may. */
type Replacement = 'yes' | 'maybe';

/** The properties of each resource type whose change makes another resource. */
async function replacements(): Promise<Readonly<Record<string, Readonly<Record<string, Replacement>>>>> {
  const { loadAwsServiceSpec } = await import('@aws-cdk/aws-service-spec');
  const database = await loadAwsServiceSpec();
  const types = database.all('resource').map(({ cloudFormationType, properties }) => {
    const replacing = Object.entries(properties).flatMap(([name, { causesReplacement }]) =>
      causesReplacement === 'yes' || causesReplacement === 'maybe' ? [[name, causesReplacement]] : [],
    );
    return [cloudFormationType, Object.fromEntries(replacing)] as const;
  });
  return Object.fromEntries(types);
}

/**
 * Puts the part of the specification of CloudFormation into a bundle that `cloudformation-diff`
 * asks for the kind of a change. The whole of it is a file of 2.6 MB beside the code.
 */
export const replacementProperties: Plugin = {
  name: 'replacement-properties',
  setup(building) {
    building.onLoad({ filter: /\/aws-service-spec\/lib\/index\.js$/ }, async () => ({
      loader: 'js',
      contents: `
        const TYPES = ${JSON.stringify(await replacements())};
        const propertiesOf = (type) => Object.fromEntries(
          Object.entries(TYPES[type]).map(([name, causesReplacement]) => [name, { causesReplacement }]));
        exports.loadAwsServiceSpecSync = () => ({
          lookup: (_kind, _index, _by, type) =>
            Object.hasOwn(TYPES, type) ? [{ properties: propertiesOf(type) }] : [],
        });`,
    }));
  },
};
