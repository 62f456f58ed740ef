import * as z from 'zod/mini';
import { STORED_PROXY_LIMITS, type ConfigurationValue } from '../core/stored-proxies/stored-proxy.ts';
import { isJsonObject, type JsonObject } from '../core/shared/json.ts';
import { Secret } from '../core/shared/secret.ts';
import { counted } from './words.ts';

const CONFIGURATION_NAME = /^[A-Za-z_]\w*$/;

/** A value with its mark, as an entry has them; a problem, in words, for any other entry. */
function entryOf(input: unknown): { readonly value: unknown; readonly isPublic: unknown } | string {
  if (!isJsonObject(input)) return { value: input, isPublic: false };
  if (Object.keys(input).some((member) => member !== 'value' && member !== 'public'))
    return 'must have no members other than `value` and `public`';
  return { value: input['value'], isPublic: input['public'] ?? false };
}

/** The value of an entry; a problem, in words that follow its name, for any other entry. */
function valueOf(input: unknown): ConfigurationValue | string {
  const entry = entryOf(input);
  if (typeof entry === 'string') return entry;
  const { value, isPublic } = entry;
  if (typeof value !== 'string') return 'must be a string, or an object with `value` and `public`';
  if (typeof isPublic !== 'boolean') return 'must have `public` as true or false';
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  if (value.length < 1 || value.length > STORED_PROXY_LIMITS.configurationValue)
    return `must be 1 to ${String(STORED_PROXY_LIMITS.configurationValue)} characters`;
  if (!isPublic && value.trim().length < STORED_PROXY_LIMITS.secretMin)
    return `must have at least ${String(STORED_PROXY_LIMITS.secretMin)} characters, or be marked: { "value": ..., "public": true }`;
  return { value, isPublic };
}

function nameProblem(entry: string): string | undefined {
  return entry.length <= STORED_PROXY_LIMITS.configurationName && CONFIGURATION_NAME.test(entry)
    ? undefined
    : `must have a name of 1 to ${String(STORED_PROXY_LIMITS.configurationName)} letters, digits and _, not starting with a digit`;
}

/** Describes an object of entries in JSON Schema. */
const configurationSchema = (canRemove: boolean) => ({
  type: 'object' as const,
  additionalProperties: {
    anyOf: [
      { type: 'string' as const },
      {
        type: 'object' as const,
        properties: {
          value: { type: 'string' as const },
          public: {
            type: 'boolean' as const,
            description: 'It may come back.',
          },
        },
        required: ['value'],
        additionalProperties: false,
      },
      ...(canRemove ? [{ type: 'null' as const }] : []),
    ],
  },
});

/** An object of configuration values; `null` removes one, where `canRemove`. */
function configurationMap(canRemove: boolean) {
  return z.custom<JsonObject>(isJsonObject, { error: 'must be an object' }).check(
    z.meta({ override: configurationSchema(canRemove) }),
    z.superRefine((input: unknown, context) => {
      const entries = Object.entries(isJsonObject(input) ? input : {});
      if (entries.length > STORED_PROXY_LIMITS.configuration) {
        context.addIssue({
          code: 'custom',
          message: `must be at most ${String(STORED_PROXY_LIMITS.configuration)} entries`,
        });
        return;
      }
      for (const [entry, value] of entries) {
        const checked = value === null && canRemove ? undefined : valueOf(value);
        const message = nameProblem(entry) ?? (typeof checked === 'string' ? checked : undefined);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [entry], message });
      }
    }),
  );
}

export const configuration = /* @__PURE__ */ configurationMap(false);
export const configurationPatch = /* @__PURE__ */ configurationMap(true);

/** The values of a configuration that was checked above. */
export function valuesOf(input: JsonObject): Secret<Readonly<Record<string, ConfigurationValue | null>>> {
  const values = Object.entries(input).map(([entry, value]) => {
    const checked = value === null ? null : valueOf(value);
    return [entry, typeof checked === 'string' ? null : checked] as const;
  });
  return new Secret(Object.fromEntries(values));
}

/** Describes a configuration in the OpenAPI document; `more` follows. */
export const configurationWords = (more: string) => ({
  words: `Up to ${counted(STORED_PROXY_LIMITS.configuration)} strings, which are encrypted and never shown again. A value with fewer than ${String(STORED_PROXY_LIMITS.secretMin)} characters must be marked as one that may come back: \`{ "value": "eu", "public": true }\`.${more}`,
  limits: { maxProperties: STORED_PROXY_LIMITS.configuration },
});
