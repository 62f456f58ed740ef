import * as z from 'zod/mini';
import { LABEL_MAX_LENGTH, type Labels } from '../core/shared/configuration-labels.ts';
import { isJsonObject } from '../core/shared/json.ts';
import { described, textMap } from './parts.ts';
import { counted } from './words.ts';

function problemOf(label: unknown): string | undefined {
  if (typeof label !== 'string') return undefined;
  if (label === '') return 'must not be empty';
  if (Array.from(label).length > LABEL_MAX_LENGTH)
    return `must be at most ${String(LABEL_MAX_LENGTH)} characters`;
  return label.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

function checkLabels(most: number) {
  return z.superRefine((input: unknown, context: z.core.$RefinementCtx) => {
    const entries = Object.entries(isJsonObject(input) ? input : {});
    if (entries.length > most) {
      context.addIssue({ code: 'custom', message: `must be at most ${String(most)} entries` });
      return;
    }
    for (const [name, label] of entries) {
      const message = problemOf(label);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** The labels in a body that has all of them, of a configuration with at most so many values. */
export const labels = (most: number) => textMap(isText).check(checkLabels(most));

/** Labels in a merge patch, where `null` removes one. */
export const labelsPatch = (most: number) =>
  textMap((value): value is string | null => value === null || isText(value)).check(checkLabels(most));

export const labelsWords = (most: number) => ({
  words: `Notes about values of the configuration, by their names, of up to ${counted(LABEL_MAX_LENGTH)} characters: no secrets, since reviewers see them. Another value without a label has none.`,
  limits: { maxProperties: most },
});

/** Describes the member of a resource in a response, which is absent without labels. */
export const labelsMember = () =>
  described(z.optional(z.record(z.string(), z.string())), 'Notes about values of the configuration.');

/** Omits labels where there are none. */
export const presentLabels = ({
  configurationLabels,
}: {
  readonly configurationLabels?: Labels;
}): { readonly configuration_labels?: Labels } =>
  configurationLabels === undefined ? {} : { configuration_labels: configurationLabels };
