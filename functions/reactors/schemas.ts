import * as z from 'zod/mini';
import type { ReactorPatch } from '../../src/core/reactors/change-reactor.ts';
import { REACTOR_LIMITS, type ReactorDefinition } from '../../src/core/reactors/reactor.ts';
import { defined } from '../../src/core/shared/defined.ts';
import { isJsonObject } from '../../src/core/shared/json.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { invalid } from '../../src/core/shared/service-error.ts';
import { idsOf, pageRequestOf, queryOf } from '../../src/http/page-query.ts';
import { body, json, lengthTo, name, optional, text, textMap, wellFormed } from '../../src/http/schemas.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

const code = text.check(
  ...lengthTo(REACTOR_LIMITS.code),
  wellFormed,
  z.refine(
    (given) => Buffer.byteLength(JSON.stringify(given)) <= REACTOR_LIMITS.codeBytes,
    `must be at most ${String(REACTOR_LIMITS.codeBytes)} bytes as JSON`,
  ),
);

/** Limits of a configuration's entries; `null` stands for an entry that is removed. */
function checkEntries(given: unknown, context: z.core.$RefinementCtx): void {
  const entries = Object.entries(isJsonObject(given) ? given : {});
  if (entries.length > REACTOR_LIMITS.configuration) {
    context.addIssue({
      code: 'custom',
      message: `must be at most ${String(REACTOR_LIMITS.configuration)} entries`,
    });
    return;
  }
  for (const [key, value] of entries) {
    const message =
      key.length < 1 || key.length > REACTOR_LIMITS.configurationKey
        ? `must have a name of 1 to ${String(REACTOR_LIMITS.configurationKey)} characters`
        : isText(value) && value.length > REACTOR_LIMITS.configurationValue
          ? `must be at most ${String(REACTOR_LIMITS.configurationValue)} characters`
          : isText(value) && !(key.isWellFormed() && value.isWellFormed())
            ? 'must be well-formed Unicode'
            : undefined;
    if (message !== undefined) context.addIssue({ code: 'custom', path: [key], message });
  }
}

const configuration = textMap(isText).check(z.superRefine(checkEntries));

const configurationPatch = textMap((value): value is string | null => value === null || isText(value)).check(
  z.superRefine(checkEntries),
);

const application = z.object({ id: text }, { error: 'must be an object with an id' });

const isMissing = (value: unknown) => value === undefined || value === null;

/**
 * Body of "create reactor" and "update reactor" (docs/contract.md#create-and-change-reactors).
 * Whether configuration may be absent is the deployment's setting.
 */
export const reactorBody = z.pipe(
  body({
    name,
    code,
    configuration: optional(configuration),
    application: optional(application),
  }),
  z.transform((given) => ({
    hasConfiguration: !isMissing(given.configuration),
    definition: defined({
      name: given.name,
      code: new Secret(given.code),
      configuration: new Secret(given.configuration ?? {}),
      applicationId: given.application?.id,
    }) satisfies ReactorDefinition,
  })),
);

/**
 * The definition in a body. Throws `validation_failed` if its configuration is absent and must not
 * be.
 */
export function definitionOf(
  { definition, hasConfiguration }: z.output<typeof reactorBody>,
  { configurationIsOptional }: { readonly configurationIsOptional: boolean },
): ReactorDefinition {
  if (!hasConfiguration && !configurationIsOptional) throw invalid('configuration', 'is required');
  return definition;
}

/** What a patch says of the application: absent, taken away, or another one. */
const applicationPatch = z.optional(
  z.nullable(
    z.object({ id: z.optional(z.nullable(text)) }, { error: 'must be an object with an id, or null' }),
  ),
);

/** Body of "patch reactor" (docs/contract.md#create-and-change-reactors): a merge patch. */
export const patchReactorBody = z.pipe(
  body({
    name: z.optional(name),
    code: z.optional(code),
    configuration: z.optional(z.nullable(configurationPatch)),
    application: applicationPatch,
  }),
  z.transform((given): ReactorPatch => {
    if (given.configuration === null) throw invalid('configuration', 'must not be null');
    return defined({
      name: given.name,
      code: given.code === undefined ? undefined : new Secret(given.code),
      configuration: given.configuration === undefined ? undefined : new Secret(given.configuration),
      applicationId: given.application === null ? null : given.application?.id,
    });
  }),
);

/** Length of the name that a list is narrowed to, in characters. */
export const PATTERN_MAX_LENGTH = 200;

/** Query of "list reactors" (docs/contract.md#create-and-change-reactors). */
export const listReactorsQuery = queryOf((query) => {
  const pattern = query.get('name') ?? '';
  if (pattern.length > PATTERN_MAX_LENGTH)
    throw invalid('name', `must be at most ${String(PATTERN_MAX_LENGTH)} characters`);
  return {
    filters: { ids: idsOf(query), ...(pattern !== '' && { name: pattern }) },
    page: pageRequestOf(query),
  };
});

/** Time of the code of an asynchronous invocation, in ms. */
export const TIMEOUT = { least: 10_000, most: 210_000, default: 10_000 };
const TIMEOUT_RANGE = `must be a whole number from ${String(TIMEOUT.least)} to ${String(TIMEOUT.most)}`;

const timeoutMs = z
  .int({ error: TIMEOUT_RANGE })
  .check(z.minimum(TIMEOUT.least, TIMEOUT_RANGE), z.maximum(TIMEOUT.most, TIMEOUT_RANGE));

/**
 * Body of "invoke reactor" (docs/contract.md#invoke-a-reactor). `callbackUrl` and `timeoutMs` are
 * accepted as well.
 */
export const reactBody = z.pipe(
  body({
    args: optional(json),
    callback_url: optional(text),
    callbackUrl: optional(text),
    timeout_ms: optional(timeoutMs),
    timeoutMs: optional(timeoutMs),
  }),
  z.transform((given) => {
    const args = given.args ?? {};
    if (typeof args !== 'object' && typeof args !== 'string')
      throw invalid('args', 'must be an object or an array');
    const callbackUrl = given.callback_url ?? given.callbackUrl;
    const timeout = given.timeout_ms ?? given.timeoutMs;
    if (callbackUrl === undefined && timeout !== undefined)
      throw invalid('timeout_ms', 'is for invocations with a callback_url only');
    const asynchronous =
      callbackUrl === undefined ? undefined : { callbackUrl, timeoutMs: timeout ?? TIMEOUT.default };
    return defined({ args, asynchronous });
  }),
);
