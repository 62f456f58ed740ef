import { invalidMembers } from './service-error.ts';
import { sameJson } from './same-json.ts';

/**
 * Notes about values of a configuration, by the names of the values, for example which version of a
 * secret a value is. They are no secrets: a reviewer of the resource sees them.
 */
export type Labels = Readonly<Record<string, string>>;

/** A label has at most so many characters (docs/contract.md#limits). */
export const LABEL_MAX_LENGTH = 200;

/** A request changes labels by these. A label is of one value: another value lacks it. */
export interface LabelsChange {
  /** Labels to set; `null` removes one. `null` for all, and absent if the request has none. */
  readonly labels?: Readonly<Record<string, string | null>> | null;
  /** The names of the values that the request sets or removes. */
  readonly changed: readonly string[];
  /** Whether the values, and so the labels, of the request replace all others. */
  readonly replaces: boolean;
}

/**
 * The labels after a change, of a configuration that then has these names. Throws
 * `validation_failed` for a label of a value that there is not.
 */
export function labelsAfter(
  before: Labels | undefined,
  { labels, changed, replaces }: LabelsChange,
  names: readonly string[],
): { readonly configurationLabels?: Labels } {
  const isWhole = labels === null || (replaces && labels !== undefined);
  const stay = Object.entries(isWhole ? {} : (before ?? {})).filter(
    ([name]) => names.includes(name) && !changed.includes(name),
  );
  const result = new Map(stay);
  for (const [name, label] of Object.entries(labels ?? {}))
    if (label === null) result.delete(name);
    else result.set(name, label);
  const unknown = [...result.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw invalidMembers(
      Object.fromEntries(
        unknown.map((name) => [`configuration_labels.${name}`, ['is the name of no value in configuration']]),
      ),
    );
  return result.size === 0 ? {} : { configurationLabels: Object.fromEntries(result) };
}

interface Labelled {
  readonly externalId?: string;
  readonly configurationLabels?: Labels;
}

/** Names, as the API has them, which of the external id and the labels differ in two states. */
export function changedNotes(previous: Labelled, next: Labelled): readonly string[] {
  const sorted = ({ configurationLabels = {} }: Labelled) =>
    Object.entries(configurationLabels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...(previous.externalId === next.externalId ? [] : ['external_id']),
    ...(sameJson(sorted(previous), sorted(next)) ? [] : ['configuration_labels']),
  ];
}
