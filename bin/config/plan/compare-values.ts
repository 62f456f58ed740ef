import { isJsonObject, type JsonObject } from '../../../src/core/shared/json.ts';
import { labelOf, type DesiredValue, type Difference } from '../model.ts';

/** Compares names and labels of a configuration, never values. */
export function differencesOfValues(
  body: JsonObject,
  values: ReadonlyMap<string, DesiredValue>,
): readonly Difference[] {
  const names = configurationNames(body);
  const labels = isJsonObject(body['configuration_labels']) ? body['configuration_labels'] : {};
  const isSame = (name: string, value: DesiredValue): boolean => {
    const { label: _, ...unlabelled } = value;
    // One that was set by hand has no label, and may well be that of the variable or the file.
    const isByHand = ['env', 'file'].includes(value.source.kind) && labels[name] === labelOf(unlabelled);
    return value.labelUnknown || isByHand || labels[name] === labelOf(value);
  };
  const differences = [...new Set([...names, ...values.keys()])].toSorted().flatMap((name) => {
    const value = values.get(name);
    const path = `configuration.${name}`;
    if (value === undefined) return [{ path, words: 'removed' }];
    if (!names.includes(name)) return [{ path, words: 'set' }];
    return isSame(name, value) ? [] : [{ path, words: 'another value' }];
  });
  return differences.map((difference) => ({ ...difference, gives: 'more' as const }));
}

function configurationNames({ configuration_names: names, configuration }: JsonObject): readonly string[] {
  if (Array.isArray(names)) return names.map(String);
  return isJsonObject(configuration ?? null) ? Object.keys(configuration as JsonObject) : [];
}
