import * as z from 'zod/mini';
import type { CheckUnchanged, ReactorPatch } from '../../src/core/reactors/change-reactor.ts';
import {
  REACTOR_LIMITS,
  type Configuration,
  type ReactorDefinition,
} from '../../src/core/reactors/reactor.ts';
import type { ClientCompatibility } from '../../src/core/shared/client-compatibility.ts';
import { defined } from '../../src/core/shared/defined.ts';
import { isJsonObject, type JsonObject } from '../../src/core/shared/json.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { invalid } from '../../src/core/shared/service-error.ts';
import { checkUnchanged } from '../../src/core/shared/check-unchanged.ts';
import { idsOf, PAGE_PARAMETERS, pageRequestOf, queryOf } from '../../src/http/page-query.ts';
import { presentApplication } from '../../src/http/present-application.ts';
import {
  body,
  json,
  lengthTo,
  name,
  optional,
  text,
  textMap,
  RECORD_MEMBERS,
  unchangeable,
  unchangedOf,
  wellFormed,
} from '../../src/http/schemas.ts';
import { presentRecord } from './present.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

const code = text.check(
  ...lengthTo(REACTOR_LIMITS.code),
  wellFormed,
  z.refine(
    (input) => Buffer.byteLength(JSON.stringify(input)) <= REACTOR_LIMITS.codeBytes,
    `must be at most ${String(REACTOR_LIMITS.codeBytes)} bytes as JSON`,
  ),
);

/** Limits of a configuration's entries; `null` removes an entry. */
function checkEntries(input: unknown, context: z.core.$RefinementCtx): void {
  const entries = Object.entries(isJsonObject(input) ? input : {});
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

/** Members of the application in a Reactor object that belong to the application itself. */
const OF_APPLICATION = [
  ...RECORD_MEMBERS.filter((member) => member !== 'id'),
  'name',
  'type',
  'permissions',
  'rules',
  'expires_at',
] as const;

const NO_APPLICATION = 'must be an object with an id';

/** Members in an update of a reactor that the update cannot change. */
interface Unchanged {
  readonly reactor: JsonObject;
  readonly application: JsonObject;
}

type Members<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;

const unchangedIn = (
  input: Members<(typeof RECORD_MEMBERS)[number]> & {
    readonly application?: Members<(typeof OF_APPLICATION)[number]> | null | undefined;
  },
): Unchanged => ({
  reactor: unchangedOf(input, RECORD_MEMBERS),
  application: unchangedOf(input.application ?? {}, OF_APPLICATION),
});

/**
 * Throws `validation_failed` if such a member differs from the reactor, or from its application, as
 * reads return it.
 */
export const checkUnchangedReactor =
  (unchanged: Unchanged): CheckUnchanged =>
  (reactor, named) => {
    checkUnchanged(unchanged.reactor, presentRecord(reactor));
    checkUnchanged(unchanged.application, named ? presentApplication(named) : {}, 'application');
  };

const isMissing = (value: unknown) => value === undefined || value === null;

const definition = { name, code, configuration: optional(configuration) };

/**
 * The members of a reactor in a body. A setting of the deployment decides whether configuration is
 * optional.
 */
function checkedDefinition(input: {
  readonly name: string;
  readonly code: string;
  readonly configuration?: Configuration | undefined;
  readonly application?: { readonly id: string } | undefined;
}) {
  return {
    hasConfiguration: !isMissing(input.configuration),
    definition: defined({
      name: input.name,
      code: new Secret(input.code),
      configuration: new Secret(input.configuration ?? {}),
      applicationId: input.application?.id,
    }) satisfies ReactorDefinition,
  };
}

/** Body of "create reactor" (docs/contract.md#create-and-change-reactors). */
export const createReactorBody = z.lazy(() =>
  z.pipe(
    body({ ...definition, application: optional(z.object({ id: text }, { error: NO_APPLICATION })) }),
    z.transform(checkedDefinition),
  ),
);

/** Body of "update reactor" (docs/contract.md#create-and-change-reactors): a full replacement. */
export const updateReactorBody = z.lazy(() =>
  z.pipe(
    body({
      ...definition,
      application: optional(
        z.object({ id: text, ...unchangeable(OF_APPLICATION) }, { error: NO_APPLICATION }),
      ),
      ...unchangeable(RECORD_MEMBERS),
    }),
    z.transform((input) => ({ ...checkedDefinition(input), unchanged: unchangedIn(input) })),
  ),
);

/** The definition in a body. Throws `validation_failed` if a required configuration is missing. */
export function definitionOf(
  { definition: input, hasConfiguration }: z.output<typeof createReactorBody>,
  { clientCompatibility }: { readonly clientCompatibility: ClientCompatibility },
): ReactorDefinition {
  if (!hasConfiguration && clientCompatibility === 'strict') throw invalid('configuration', 'is required');
  return input;
}

/** The application in a patch: absent, `null`, or another one. */
const applicationPatch = z.lazy(() =>
  z.optional(
    z.nullable(
      z.object(
        { id: z.nullable(text), ...unchangeable(OF_APPLICATION) },
        { error: 'must be an object with an id, or null' },
      ),
    ),
  ),
);

/** Body of "patch reactor" (docs/contract.md#create-and-change-reactors): a merge patch. */
export const patchReactorBody = z.lazy(() =>
  z.pipe(
    body({
      name: z.optional(name),
      code: z.optional(code),
      configuration: z.optional(z.nullable(configurationPatch)),
      application: applicationPatch,
      ...unchangeable(RECORD_MEMBERS),
    }),
    z.transform((input): { readonly patch: ReactorPatch; readonly unchanged: Unchanged } => {
      if (input.configuration === null) throw invalid('configuration', 'must not be null');
      const patch = defined({
        name: input.name,
        code: input.code === undefined ? undefined : new Secret(input.code),
        configuration: input.configuration === undefined ? undefined : new Secret(input.configuration),
        applicationId: input.application === null ? null : input.application?.id,
      });
      return { patch, unchanged: unchangedIn(input) };
    }),
  ),
);

/** Longest name that filters a list, in characters. */
export const PATTERN_MAX_LENGTH = 200;

/** Query of "list reactors" (docs/contract.md#create-and-change-reactors). */
export const listReactorsQuery = queryOf(
  { once: [...PAGE_PARAMETERS, 'name'], repeated: ['id'] },
  (query) => {
    const name = query.get('name') ?? undefined;
    if (name === '') throw invalid('name', 'must not be empty');
    if (name !== undefined && name.length > PATTERN_MAX_LENGTH)
      throw invalid('name', `must be at most ${String(PATTERN_MAX_LENGTH)} characters`);
    return { filters: defined({ ids: idsOf(query), name }), page: pageRequestOf(query) };
  },
);

/** Timeout of the code of an asynchronous invocation, in ms. */
export const TIMEOUT = { least: 10_000, most: 210_000, default: 10_000 };
const TIMEOUT_RANGE = `must be a whole number from ${String(TIMEOUT.least)} to ${String(TIMEOUT.most)}`;

const timeoutMs = z
  .int({ error: TIMEOUT_RANGE })
  .check(z.minimum(TIMEOUT.least, TIMEOUT_RANGE), z.maximum(TIMEOUT.most, TIMEOUT_RANGE));

/**
 * Body of "invoke reactor" (docs/contract.md#invoke-a-reactor). It also accepts `callbackUrl` and
 * `timeoutMs`.
 */
export const reactBody = z.lazy(() =>
  z.pipe(
    body({
      args: optional(json),
      callback_url: optional(text),
      callbackUrl: optional(text),
      timeout_ms: optional(timeoutMs),
      timeoutMs: optional(timeoutMs),
    }),
    z.transform((input) => {
      const args = input.args ?? {};
      if (typeof args !== 'object' && typeof args !== 'string')
        throw invalid('args', 'must be an object or an array');
      if (input.callback_url !== undefined && input.callbackUrl !== undefined)
        throw invalid('callbackUrl', 'is another name of callback_url; send one of them');
      if (input.timeout_ms !== undefined && input.timeoutMs !== undefined)
        throw invalid('timeoutMs', 'is another name of timeout_ms; send one of them');
      const callbackUrl = input.callback_url ?? input.callbackUrl;
      const timeout = input.timeout_ms ?? input.timeoutMs;
      if (callbackUrl === undefined && timeout !== undefined)
        throw invalid('timeout_ms', 'is for invocations with a callback_url only');
      const asynchronous =
        callbackUrl === undefined ? undefined : { callbackUrl, timeoutMs: timeout ?? TIMEOUT.default };
      return defined({ args, asynchronous });
    }),
  ),
);
