import type { Desired, DesiredValue } from '../model.ts';
import type { Secrets } from '../secrets.ts';

type Versions = Pick<Secrets, 'version'>;

async function labelled(value: DesiredValue, versionOf: Versions['version']): Promise<DesiredValue> {
  if (value.source.kind !== 'aws-secret') return value;
  try {
    const version = await versionOf(value.source.name);
    return version === undefined ? value : { ...value, label: version, labelUnknown: false };
  } catch {
    // A plan in a pull request has no credentials. It then compares no label.
    return value;
  }
}

async function labelledMap<T extends { readonly configuration: ReadonlyMap<string, DesiredValue> }>(
  resources: ReadonlyMap<string, T>,
  versionOf: Versions['version'],
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (const [name, resource] of resources) {
    const configuration = new Map<string, DesiredValue>();
    for (const [member, value] of resource.configuration)
      configuration.set(member, await labelled(value, versionOf));
    found.set(name, { ...resource, configuration });
  }
  return found;
}

/** Adds the versions of the secrets of AWS as labels, where they can be read. Reads no value. */
export async function withLabels(desired: Desired, { version }: Versions): Promise<Desired> {
  const asked = new Map<string, Promise<string | undefined>>();
  const once = (name: string) => {
    const answer = asked.get(name) ?? version(name);
    asked.set(name, answer);
    return answer;
  };
  return {
    ...desired,
    proxies: await labelledMap(desired.proxies, once),
    reactors: await labelledMap(desired.reactors, once),
  };
}
