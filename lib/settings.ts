import { z } from 'zod';

const textList = z.union([
  z.array(z.string()),
  z.string().transform((list) =>
    list
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]);

const wholeNumber = (least: number, most: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(least, `must be at least ${String(least)}`)
    .max(most, `must be at most ${String(most)}`);

/** The retentions that CloudWatch Logs knows, in days. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/**
 * Every deploy setting, read from the CDK context (`cdk.json`, `cdk deploy -c name=value`, `npm start -- --set name=value`).
 * Values may come as text; lists are separated by commas. `docs/deploy.md` explains each.
 */
export const settingsSchema = z
  .object({
    /** Prefix of the stacks' names; two services in one account and region need two. */
    serviceName: z
      .string()
      .regex(
        /^[A-Za-z][A-Za-z0-9-]{0,39}$/,
        'must be 1 to 40 letters, digits and hyphens, starting with a letter',
      )
      .default('Cloakroom'),
    /** Prefixes under which reserved headers are read, in order of precedence; the first is used in responses. */
    headerPrefixes: textList
      .pipe(
        z
          .array(
            z
              .string()
              .regex(
                /^[A-Za-z][A-Za-z0-9]{0,19}$/,
                'must be 1 to 20 letters and digits, starting with a letter',
              ),
          )
          .min(1, 'must not be empty')
          .max(5, 'must be at most 5'),
      )
      .default(['SVC']),
    /** `lenient` accepts what clients already in the field send. */
    clientCompatibility: z
      .enum(['strict', 'lenient'], { error: 'must be strict or lenient' })
      .default('strict'),
    /** How long a cvc lives, in seconds. */
    cvcLifetimeSeconds: wholeNumber(1, 86_400).default(3_600),
    /** Partitions of the list index per tenant. Never change it on a deployment that holds tokens. */
    listShards: wholeNumber(1, 64).default(8),
    /** Origins that the proxy and webhooks may reach although the egress rules refuse them: `host`, `host:port`, or with a scheme. */
    egressAllowList: textList
      .pipe(
        z
          .array(
            z.string().regex(/^(?:https?:\/\/)?[^\s/@,]+$/, 'must be host, host:port, or one with a scheme'),
          )
          .max(20, 'must be at most 20'),
      )
      .default([]),
    /** Requests a second that the API takes, all callers together. */
    throttleRate: wholeNumber(1, 100_000).default(1_000),
    /** Requests that may come at once on top of the rate. */
    throttleBurst: wholeNumber(1, 100_000).default(2_000),
    /** Days that logs are kept. */
    logRetentionDays: z.coerce
      .number()
      .refine((days) => RETENTION_DAYS.includes(days), {
        error: `must be one of ${RETENTION_DAYS.join(', ')}`,
      })
      .default(365),
  })
  .strict();

export type Settings = z.output<typeof settingsSchema>;

/** Names of all settings. */
export const SETTING_NAMES = Object.keys(settingsSchema.shape);

/** A setting that is unknown or has a value that cannot be. The message names it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Parses settings as they came from a context. Throws {@link SettingsError} naming every bad one. */
export function parseSettings(given: Readonly<Record<string, unknown>>): Settings {
  const result = settingsSchema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown setting ${issue.keys.join(', ')} (there are: ${SETTING_NAMES.join(', ')})`
      : `setting ${issue.path.join('.')} ${issue.message}`,
  );
  throw new SettingsError(problems.join('; '));
}
