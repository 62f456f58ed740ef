import * as z from 'zod/mini';
import type { CheckUnchanged, ReactorPatch } from '../core/reactors/change-reactor.ts';
import type { WrittenReactor } from '../core/reactors/create-reactor.ts';
import type { ReactorView } from '../core/reactors/get-reactor.ts';
import {
  REACTOR_LIMITS,
  type Configuration,
  type ReactorDefinition,
  type ReactorRecord,
} from '../core/reactors/reactor.ts';
import { IMAGES, NODE_VERSIONS } from '../core/reactors/layer.ts';
import { checkUnchanged } from '../core/shared/check-unchanged.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined } from '../core/shared/defined.ts';
import type { Labels } from '../core/shared/configuration-labels.ts';
import { isJsonObject, type JsonObject } from '../core/shared/json.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { Secret } from '../core/shared/secret.ts';
import { invalid } from '../core/shared/service-error.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import { APPLICATION_EXAMPLE, applicationResponse, nameWords, presentApplication } from './application.ts';
import { labels, labelsMember, labelsPatch, labelsWords, presentLabels } from './configuration-labels.ts';
import {
  changedExternalId,
  changedExternalIdWords,
  externalIdMember,
  newExternalIdWords,
} from './external-id.ts';
import {
  body,
  described,
  lengthTo,
  name,
  optional,
  RECORD_MEMBERS,
  text,
  textMap,
  time,
  unchangeable,
  unchangedOf,
  uuid,
  wellFormed,
  type Response,
} from './parts.ts';
import { externalIdsOf, idsOf, pageRequestOf, queryOf } from './page.ts';
import { namedListParameters, nameFilterOf } from './named-list.ts';
import {
  imageFilterOf,
  presentRuntime,
  runtimeChangeOf,
  runtimeInput,
  runtimeResponse,
  runtimeWords,
} from './runtime.ts';
import { counted, type Members } from './words.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

const code = /* @__PURE__ */ text.check(
  ...lengthTo(REACTOR_LIMITS.code),
  wellFormed,
  z.refine(
    (input) => Buffer.byteLength(JSON.stringify(input)) <= REACTOR_LIMITS.codeBytes,
    `must be at most ${String(REACTOR_LIMITS.codeBytes)} bytes as JSON`,
  ),
);

/** Checks the limits of a configuration's entries. `null` removes an entry. */
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

const configuration = /* @__PURE__ */ textMap(isText).check(/* @__PURE__ */ z.superRefine(checkEntries));

const configurationPatch = /* @__PURE__ */ textMap(
  (value): value is string | null => value === null || isText(value),
).check(/* @__PURE__ */ z.superRefine(checkEntries));

/** Members of the application in a Reactor object that belong to the application itself. */
const OF_APPLICATION = [
  ...RECORD_MEMBERS.filter((member) => member !== 'id'),
  'external_id',
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

type Sent<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;

const unchangedIn = (
  input: Sent<(typeof RECORD_MEMBERS)[number]> & {
    readonly application?: Sent<(typeof OF_APPLICATION)[number]> | null | undefined;
  },
): Unchanged => ({
  reactor: unchangedOf(input, RECORD_MEMBERS),
  application: unchangedOf(input.application ?? {}, OF_APPLICATION),
});

/**
 * Throws `validation_failed` if such a member differs from the reactor, or from its application, as
 * reads return them.
 */
export const checkUnchangedReactor =
  (unchanged: Unchanged): CheckUnchanged =>
  (reactor, named) => {
    checkUnchanged(unchanged.reactor, presentHistory(reactor));
    checkUnchanged(unchanged.application, named ? presentApplication(named) : {}, 'application');
  };

const isMissing = (value: unknown) => value === undefined || value === null;

const definition = () => ({
  name,
  external_id: changedExternalId(),
  code,
  configuration: optional(configuration),
  configuration_labels: optional(labels(REACTOR_LIMITS.configuration)),
  runtime: runtimeInput,
});

/**
 * The members of a reactor in a body. The setting `clientCompatibility` decides whether
 * configuration is optional.
 */
function checkedDefinition(input: {
  readonly name: string;
  readonly external_id?: string | null | undefined;
  readonly configuration_labels?: Labels | undefined;
  readonly code: string;
  readonly configuration?: Configuration | undefined;
  readonly application?: { readonly id: string } | undefined;
  readonly runtime?: z.output<typeof runtimeInput>;
}) {
  return {
    hasConfiguration: !isMissing(input.configuration),
    definition: defined({
      name: input.name,
      externalId: input.external_id,
      labels: input.configuration_labels,
      code: new Secret(input.code),
      configuration: new Secret(input.configuration ?? {}),
      applicationId: input.application?.id,
    }) satisfies ReactorDefinition,
    runtime: input.runtime,
  };
}

/** Body of "create reactor" (docs/contract.md#create-and-change-reactors). */
export const createReactorBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({ ...definition(), application: optional(z.object({ id: text }, { error: NO_APPLICATION })) }),
    z.transform(checkedDefinition),
  ),
);

/**
 * Body of "update reactor" (docs/contract.md#create-and-change-reactors), which replaces
 * everything.
 */
export const updateReactorBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      ...definition(),
      application: optional(
        z.object({ id: text, ...unchangeable(OF_APPLICATION) }, { error: NO_APPLICATION }),
      ),
      ...unchangeable(RECORD_MEMBERS),
    }),
    z.transform((input) => ({ ...checkedDefinition(input), unchanged: unchangedIn(input) })),
  ),
);

interface CompatibilityDeps {
  readonly clientCompatibility: ClientCompatibility;
}

/** The definition in a body. Throws `validation_failed` if a required configuration is missing. */
export function definitionOf(
  { definition: input, hasConfiguration, runtime }: z.output<typeof createReactorBody>,
  deps: CompatibilityDeps,
): ReactorDefinition {
  if (!hasConfiguration && deps.clientCompatibility === 'strict')
    throw invalid('configuration', 'is required');
  return defined({ ...input, runtime: runtimeChangeOf(runtime, deps) });
}

/** The patch in a body. Throws `validation_failed` for an unknown image. */
export const patchOf = (
  { patch, runtime }: z.output<typeof patchReactorBody>,
  deps: CompatibilityDeps,
): ReactorPatch => defined({ ...patch, runtime: runtimeChangeOf(runtime, deps) });

/** The application in a patch, which may be absent, `null`, or another one. */
const applicationPatch = /* @__PURE__ */ z.lazy(() =>
  z.optional(
    z.nullable(
      z.object(
        { id: z.nullable(text), ...unchangeable(OF_APPLICATION) },
        { error: 'must be an object with an id, or null' },
      ),
    ),
  ),
);

/**
 * Body of "patch reactor" (docs/contract.md#create-and-change-reactors), which is a merge patch.
 */
export const patchReactorBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      name: z.optional(name),
      external_id: changedExternalId(),
      code: z.optional(code),
      configuration: z.optional(configurationPatch),
      configuration_labels: z.optional(z.nullable(labelsPatch(REACTOR_LIMITS.configuration))),
      application: applicationPatch,
      runtime: runtimeInput,
      ...unchangeable(RECORD_MEMBERS),
    }),
    z.transform((input) => {
      const patch: ReactorPatch = defined({
        name: input.name,
        externalId: input.external_id,
        labels: input.configuration_labels,
        code: input.code === undefined ? undefined : new Secret(input.code),
        configuration: input.configuration === undefined ? undefined : new Secret(input.configuration),
        applicationId: input.application === null ? null : input.application?.id,
      });
      return { patch, runtime: input.runtime, unchanged: unchangedIn(input) };
    }),
  ),
);

/** A reactor with its content as the caller may see it. */
const shapeWith = <const Content extends z.core.$ZodLooseShape>(content: Content) => ({
  id: uuid(),
  tenant_id: uuid(),
  external_id: externalIdMember(),
  name: z.string(),
  ...content,
  configuration_labels: labelsMember(),
  application: z.optional(applicationResponse()),
  runtime: runtimeResponse(),
  created_by: uuid(),
  created_at: time(),
  modified_by: z.optional(uuid()),
  modified_at: z.optional(time()),
});

const reactorShape = () => shapeWith({ code: z.string(), configuration: z.record(z.string(), z.string()) });

/** The Reactor object as a caller with `reactor:review` alone sees it. */
export const reviewedReactorResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object(
      shapeWith({
        code_digest: described(
          z.string(),
          'SHA-256 of the code as UTF-8, in lower-case hexadecimal, in place of the code.',
        ),
        configuration_names: described(
          z.array(z.string()),
          'Names of the configuration, in place of its values.',
        ),
      }),
    )
    .check(
      z.meta({
        id: 'ReviewedReactor',
        description: 'A reactor for a caller with `reactor:review`, without `reactor:read`.',
      }),
    ),
);

/** A read of a reactor returns one of these, by the permission of the caller. */
export const readReactorResponse = () => z.union([reactorResponse(), reviewedReactorResponse()]);

/** The Reactor object (docs/contract.md#the-reactor-object). */
export const reactorResponse = /* @__PURE__ */ madeOnce(() =>
  z.object(reactorShape()).check(
    z.meta({
      id: 'Reactor',
      examples: [
        {
          id: 'b3a0f6c2-52a8-4d7e-8a43-6f2b8f1d9c55',
          tenant_id: APPLICATION_EXAMPLE.tenant_id,
          name: 'Charge card',
          code: 'module.exports = async ({ args }) => ({ raw: { last4: args.card.number.slice(-4) } });',
          configuration: { url: 'https://processor.example.com' },
          application: APPLICATION_EXAMPLE,
          runtime: {
            image: 'node16',
            warm_concurrency: 1,
            node_version: NODE_VERSIONS.node16,
            status: 'deprecated',
            outdated: false,
          },
          created_by: '9d1e7c7b-1b59-4f0b-b0b5-6d8c1f7ad0aa',
          created_at: '2026-11-21T10:15:30.123+00:00',
        },
      ],
    }),
  ),
);

type ReactorObject = Response<typeof reactorResponse>;
type ReviewedObject = Response<typeof reviewedReactorResponse>;

/** The members of a reactor that no update can set. */
function presentHistory(
  reactor: Pick<ReactorRecord, 'id' | 'tenantId' | 'createdBy' | 'createdAt' | 'modifiedBy' | 'modifiedAt'>,
): Pick<ReactorObject, (typeof RECORD_MEMBERS)[number]> {
  return defined({
    id: reactor.id,
    tenant_id: reactor.tenantId,
    created_by: reactor.createdBy,
    created_at: formatTimestamp(reactor.createdAt),
    modified_by: reactor.modifiedBy,
    modified_at: reactor.modifiedAt === undefined ? undefined : formatTimestamp(reactor.modifiedAt),
  });
}

/** The content of a reactor, or what a reviewer learns of it. */
function presentContent(reactor: ReactorView['reactor']) {
  return 'code' in reactor
    ? { code: reactor.code.reveal(), configuration: reactor.configuration.reveal() }
    : { code_digest: reactor.codeDigest, configuration_names: reactor.configurationNames };
}

/** The Reactor object. Its application has no key. */
export function presentReactor(view: Omit<WrittenReactor, 'warnings'>): ReactorObject;
export function presentReactor(view: ReactorView): ReactorObject | ReviewedObject;
export function presentReactor({
  reactor,
  application,
  runtime,
}: ReactorView): ReactorObject | ReviewedObject {
  const { id, tenant_id, ...history } = presentHistory(reactor);
  return defined({
    id,
    tenant_id,
    external_id: reactor.externalId,
    name: reactor.name,
    ...presentContent(reactor),
    ...presentLabels(reactor),
    application: application && presentApplication(application),
    runtime: presentRuntime(runtime),
    ...history,
  }) as ReactorObject | ReviewedObject;
}

/**
 * The Reactor object after a write, with warnings about it (docs/lenient.md#http) and the proxies
 * that it stops.
 */
export function presentWrittenReactor({ warnings, stoppedProxies = [], ...view }: WrittenReactor) {
  const extras = {
    ...(warnings.length > 0 && { warnings }),
    ...(stoppedProxies.length > 0 && {
      stopped_proxies: stoppedProxies.map(({ id, name: nameOf }) => ({ id, name: nameOf })),
    }),
  };
  return { ...presentReactor(view), ...(Object.keys(extras).length > 0 && { _extras: extras }) };
}

/** Describes the Reactor object after an update. */
export const updatedReactorResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      ...reactorShape(),
      _extras: z.optional(
        z.object({
          stopped_proxies: described(
            z.optional(z.array(z.object({ id: uuid(), name: z.string() }))),
            'Stored proxies that ran the code before. They fail until they are written again.',
          ),
          warnings: described(z.optional(z.array(z.string())), 'Lenient: what is wrong with the code.'),
        }),
      ),
    })
    .check(z.meta({ id: 'UpdatedReactor' })),
);

/** Reads the query of "list reactors" (docs/contract.md#create-and-change-reactors). */
export const listReactorsQuery = /* @__PURE__ */ queryOf(
  { isPaged: true, once: ['name', 'runtime', 'outdated'], repeated: ['id', 'external_id'] },
  (query) => ({
    filters: defined({
      ids: idsOf(query),
      externalIds: externalIdsOf(query),
      name: nameFilterOf(query),
      image: imageFilterOf(query, { name: 'runtime' }),
      isOutdated: flagOf(query, 'outdated'),
    }),
    page: pageRequestOf(query),
  }),
);

function flagOf(query: URLSearchParams, parameter: string): boolean | undefined {
  const value = query.get(parameter) ?? undefined;
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw invalid(parameter, 'must be true or false');
  return value === 'true';
}

/** The query of {@link listReactorsQuery}, as the OpenAPI document describes it. */
export const listReactorsParameters = () =>
  z.extend(namedListParameters(), {
    runtime: described(z.optional(z.enum(IMAGES)), 'Only reactors whose code runs on this image.'),
    outdated: described(z.optional(z.boolean()), 'Only reactors whose `runtime.outdated` has this value.'),
  });

const configurationLimits = () => ({
  maxProperties: REACTOR_LIMITS.configuration,
  propertyNames: { minLength: 1, maxLength: REACTOR_LIMITS.configurationKey },
});

export const reactorWords = (): Members => ({
  name: nameWords(),
  external_id: newExternalIdWords(),
  configuration_labels: labelsWords(REACTOR_LIMITS.configuration),
  code: `CommonJS for the Node.js of the image: \`module.exports = async (req) => ({ raw, tokenize })\`. Up to ${counted(REACTOR_LIMITS.code)} characters; not run now.`,
  configuration: {
    words: `Up to ${counted(REACTOR_LIMITS.configuration)} strings that the code reads as \`req.configuration\`.`,
    limits: configurationLimits(),
  },
  application: 'The public or private application with which the code may call the service through `req.bt`.',
  'application.id': 'The id of the application.',
  ...runtimeWords(),
});

/** Describes the members of an update. */
export const updateReactorWords = (): Members => ({
  ...reactorWords(),
  external_id: changedExternalIdWords(),
});

export const patchReactorWords = (): Members => ({
  ...updateReactorWords(),
  configuration: { words: 'Merged; `null` removes an entry.', limits: configurationLimits() },
  application: '`null` removes it.',
});
