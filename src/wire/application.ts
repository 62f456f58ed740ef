import * as z from 'zod/mini';
import { parseCallback } from '../core/access/parse-callback.ts';
import {
  CONDITION_ATTRIBUTES,
  CONDITION_OPERATORS,
  RULE_LIMITS,
  TRANSFORMS,
  type AccessRule,
  type Grants,
  type Through,
} from '../core/access/access-rule.ts';
import type { PermissionInfo } from '../core/access/list-permissions.ts';
import { APPLICATION_TYPES, PERMISSION_NAMES, type ApplicationType } from '../core/access/permission.ts';
import { NAME_MAX_LENGTH, type Application } from '../core/applications/application.ts';
import type { ApplicationUpdate } from '../core/applications/change-application.ts';
import type { NewApplication } from '../core/applications/create-application.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { CONTAINER_FORM, parseContainer } from '../core/shared/container.ts';
import { defined, type Undefinable } from '../core/shared/defined.ts';
import { isUuid } from '../core/shared/is-uuid.ts';
import type { JsonObject } from '../core/shared/json.ts';
import { notOneOf } from '../core/shared/known-names.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import type { Secret } from '../core/shared/secret.ts';
import { invalid } from '../core/shared/service-error.ts';
import { formatTimestamp, parseIsoTimestamp } from '../core/shared/timestamp.ts';
import {
  changedExternalId,
  changedExternalIdWords,
  externalIdMember,
  externalIdParameter,
  newExternalId,
  newExternalIdWords,
} from './external-id.ts';
import { nameFilterOf, nameParameter } from './named-list.ts';
import {
  externalIdsOf,
  idsOf,
  idsParameter,
  pageParameters,
  pageRequestOf,
  queryOf,
  REPEATED,
} from './page.ts';
import {
  body,
  described,
  lengthTo,
  list,
  name,
  names,
  oneOf,
  optional,
  RECORD_MEMBERS,
  renamed,
  text,
  time,
  unchangeable,
  unchangedOf,
  uuid,
  type Response,
} from './parts.ts';
import { counted, type Members } from './words.ts';

const permission = /* @__PURE__ */ oneOf(/* @__PURE__ */ names(PERMISSION_NAMES));

/** Drops repeated permissions. The others stay in the order of the request. */
const permissions = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    list(permission),
    z.transform((raw) => [...new Set(raw)]),
  ),
);

export const container = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    text,
    z.transform((raw, context) => {
      const path = parseContainer(raw);
      if (path === undefined) context.issues.push({ code: 'custom', input: '', message: CONTAINER_FORM });
      return path ?? '';
    }),
  ),
);

const condition = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    z.object(
      {
        attribute: oneOf(CONDITION_ATTRIBUTES),
        operator: oneOf(CONDITION_OPERATORS),
        value: text.check(...lengthTo(RULE_LIMITS.conditionValue)),
      },
      { error: 'must be an object' },
    ),
    z.transform((raw) => (raw.attribute === 'container' ? { ...raw, value: raw.value.toLowerCase() } : raw)),
  ),
);

/** Ids of destinations, each once. */
export const destinations = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    list(text.check(z.refine(isUuid, 'must be an id: a UUID in lower case')), RULE_LIMITS.through),
    z.transform((raw) => [...new Set(raw)]),
  ),
);

const callbacks = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    list(
      z.pipe(
        text,
        z.transform((raw, context) => {
          const parsed = parseCallback(raw);
          if ('address' in parsed) return parsed.address;
          context.issues.push({ code: 'custom', input: '', message: parsed.problem });
          return '';
        }),
      ),
      RULE_LIMITS.through,
    ),
    z.transform((raw) => [...new Set(raw)]),
  ),
);

/** Absent lists are empty. `core` checks what depends on the rest of the rule. */
const through = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    z.object(
      {
        proxies: optional(destinations),
        reactors: optional(destinations),
        callbacks: optional(callbacks),
      },
      { error: 'must be an object' },
    ),
    z.transform((raw): Through =>
      defined({ proxies: raw.proxies ?? [], reactors: raw.reactors ?? [], callbacks: raw.callbacks }),
    ),
  ),
);

const rule = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    z.object(
      {
        description: optional(
          text.check(
            z.maxLength(
              RULE_LIMITS.description,
              `must be at most ${String(RULE_LIMITS.description)} characters`,
            ),
          ),
        ),
        priority: z
          .int({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a whole number') })
          .check(z.minimum(1, 'must be at least 1')),
        container: optional(container),
        conditions: optional(list(condition)),
        transform: oneOf(TRANSFORMS),
        permissions,
        // `null` would turn a limit off.
        through: z.optional(through),
      },
      { error: 'must be an object' },
    ),
    z.transform((raw): AccessRule => defined(raw)),
  ),
);

const rules = () => list(rule, RULE_LIMITS.rules);

/** The time that ends an application or a session. */
export const expiresAtMs = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    text,
    z.transform((raw, context) => {
      const timestamp = parseIsoTimestamp(raw);
      if (timestamp === undefined)
        context.issues.push({ code: 'custom', input: '', message: 'must be a date-time in ISO 8601' });
      return timestamp?.at ?? 0;
    }),
  ),
);

/** An application has these, and so has the authorization of a session. */
export const grants = () => ({ permissions: optional(permissions), rules: optional(rules()) });

/** Absent permissions or rules are none. */
export const grantsOf = ({
  permissions: granted,
  rules: all,
}: {
  readonly permissions?: Grants['permissions'] | undefined;
  readonly rules?: Grants['rules'] | undefined;
}): Grants => ({ permissions: granted ?? [], rules: all ?? [] });

/**
 * Body of "create application" (docs/contract.md#create-an-application). `core` checks what depends
 * on the type.
 */
export const createApplicationBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      name,
      external_id: newExternalId(),
      type: oneOf(APPLICATION_TYPES),
      ...grants(),
      expires_at: optional(expiresAtMs),
    }),
    z.transform((raw): NewApplication =>
      defined({
        ...grantsOf(raw),
        ...renamed(raw, {
          name: 'name',
          externalId: 'external_id',
          type: 'type',
          expiresAtMs: 'expires_at',
        }),
      }),
    ),
  ),
);

/** Members of an application that an update cannot change. */
const UNCHANGEABLE = [...RECORD_MEMBERS, 'type', 'expires_at'] as const;

/**
 * Body of "update application" (docs/contract.md#update-an-application), which replaces everything.
 */
export const updateApplicationBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({ name, external_id: changedExternalId(), ...grants(), ...unchangeable(UNCHANGEABLE) }),
    z.transform((raw): ApplicationUpdate & { readonly unchanged: JsonObject } =>
      defined({
        name: raw.name,
        externalId: raw.external_id,
        ...grantsOf(raw),
        unchanged: unchangedOf(raw, UNCHANGEABLE),
      }),
    ),
  ),
);

const isType = (raw: string): raw is ApplicationType => APPLICATION_TYPES.some((type) => type === raw);

function typeOf(raw: string, parameter: string): ApplicationType {
  if (!isType(raw)) throw invalid(parameter, notOneOf(raw, APPLICATION_TYPES));
  return raw;
}

/** Reads the query of "list applications" (docs/contract.md#applications). */
export const listApplicationsQuery = /* @__PURE__ */ queryOf(
  { isPaged: true, once: ['name'], repeated: ['id', 'external_id', 'type'] },
  (query) => {
    const types = query.getAll('type').map((type) => typeOf(type, 'type'));
    const name = nameFilterOf(query);
    const filters = { ids: idsOf(query), externalIds: externalIdsOf(query), types, name };
    return { filters: defined(filters), page: pageRequestOf(query) };
  },
);

/**
 * Reads the query of a change that may take the last key that changes applications
 * (docs/contract.md#the-last-manager).
 */
export const forceQuery = /* @__PURE__ */ queryOf({ once: ['force'] }, (query) => {
  const force = query.get('force') ?? 'false';
  if (force !== 'true' && force !== 'false') throw invalid('force', 'must be true or false');
  return { force: force === 'true' };
});

/** Whether such a change may leave the tenant without a manager. Existing clients know no limit. */
export const mayBeLast = (
  { force }: { readonly force: boolean },
  compatibility: ClientCompatibility,
): boolean => force || compatibility === 'lenient';

/** Reads the query of "list permissions" (docs/contract.md#permissions). */
export const listPermissionsQuery = /* @__PURE__ */ queryOf({ once: ['application_type'] }, (query) => {
  const type = query.get('application_type');
  return type === null ? {} : { type: typeOf(type, 'application_type') };
});

export const transform = /* @__PURE__ */ madeOnce(() =>
  z.enum(TRANSFORMS).check(z.meta({ id: 'Transform' })),
);

const ruleResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      description: z.optional(z.string()),
      priority: described(z.int(), 'From 1; lower numbers come first.'),
      container: z.optional(z.string()),
      conditions: z.optional(
        z.array(
          z
            .object({
              attribute: z.enum(CONDITION_ATTRIBUTES),
              operator: z.enum(CONDITION_OPERATORS),
              value: z.string(),
            })
            .check(z.meta({ id: 'Condition' })),
        ),
      ),
      transform: transform(),
      permissions: z.array(permissionName()),
      through: z.optional(
        z
          .object({
            proxies: z.optional(z.array(uuid())),
            reactors: z.optional(z.array(uuid())),
            callbacks: z.optional(z.array(z.string())),
          })
          .check(z.meta({ id: 'Through' })),
      ),
    })
    .check(
      z.meta({
        id: 'AccessRule',
        examples: [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }],
      }),
    ),
);

/** The name of a permission in a response. */
export const permissionName = /* @__PURE__ */ madeOnce(() =>
  z.enum(names(PERMISSION_NAMES)).check(z.meta({ id: 'PermissionName' })),
);

const applicationType = /* @__PURE__ */ madeOnce(() =>
  z.enum(APPLICATION_TYPES).check(z.meta({ id: 'ApplicationType' })),
);

const applicationMembers = () => ({
  id: uuid(),
  tenant_id: uuid(),
  external_id: externalIdMember(),
  name: z.string(),
  type: applicationType(),
  permissions: z.array(permissionName()),
  rules: z.array(ruleResponse()),
  created_by: z.optional(uuid()),
  created_at: z.optional(time()),
  modified_by: z.optional(uuid()),
  modified_at: z.optional(time()),
  expires_at: z.optional(time()),
});

export const APPLICATION_EXAMPLE = {
  id: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
  tenant_id: '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11',
  name: 'Billing',
  type: 'private',
  permissions: [],
  rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read', 'token:use'] }],
  created_by: '9d1e7c7b-1b59-4f0b-b0b5-6d8c1f7ad0aa',
  created_at: '2026-11-21T10:15:30.123+00:00',
};

/** The Application object (docs/contract.md#the-application-object), as reads return it. */
export const applicationResponse = /* @__PURE__ */ madeOnce(() =>
  z.object(applicationMembers()).check(z.meta({ id: 'Application', examples: [APPLICATION_EXAMPLE] })),
);

/** The Application object with its key, which only its creation and a regeneration return. */
export const applicationWithKey = /* @__PURE__ */ madeOnce(() =>
  z.object({ ...applicationMembers(), key: z.string() }).check(
    z.meta({
      id: 'ApplicationWithKey',
      description: 'Only this response contains the key.',
      examples: [{ ...APPLICATION_EXAMPLE, key: 'key_private_...' }],
    }),
  ),
);

const timeOf = (at: number | undefined) => (at === undefined ? undefined : formatTimestamp(at));

/** Omits an empty list. */
const presentThrough = ({ proxies, reactors, callbacks = [] }: Through) => ({
  ...(proxies.length > 0 && { proxies }),
  ...(reactors.length > 0 && { reactors }),
  ...(callbacks.length > 0 && { callbacks }),
});

const presentRule = (rule: AccessRule): Response<typeof ruleResponse> =>
  defined({
    description: rule.description,
    priority: rule.priority,
    container: rule.container,
    conditions: rule.conditions,
    transform: rule.transform,
    permissions: rule.permissions,
    through: rule.through && presentThrough(rule.through),
  } satisfies Undefinable<Response<typeof ruleResponse>>);

/** The Application object. It includes the key only if the key is new. */
export function presentApplication(
  application: Application,
  key?: Secret<string>,
): Response<typeof applicationResponse> & Partial<Response<typeof applicationWithKey>> {
  return defined({
    id: application.id,
    tenant_id: application.tenantId,
    external_id: application.externalId,
    name: application.name,
    key: key?.reveal(),
    type: application.type,
    permissions: application.permissions,
    rules: application.rules.map(presentRule),
    created_by: application.createdBy,
    created_at: timeOf(application.createdAt),
    modified_by: application.modifiedBy,
    modified_at: timeOf(application.modifiedAt),
    expires_at: timeOf(application.expiresAtMs),
  } satisfies Undefinable<Response<typeof applicationWithKey>>);
}

/** An entry that the list of permissions has. */
export const permissionResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      type: permissionName(),
      description: z.string(),
      application_types: z.array(applicationType()),
    })
    .check(
      z.meta({
        id: 'Permission',
        examples: [{ type: 'token:read', description: 'Read tokens', application_types: ['private'] }],
      }),
    ),
);

export const presentPermission = (permission: PermissionInfo): Response<typeof permissionResponse> => ({
  type: permission.type,
  description: permission.description,
  application_types: permission.applicationTypes,
});

/** The query of "list applications", as the OpenAPI document describes it. */
export const listApplicationsParameters = () =>
  z.object({
    id: idsParameter(),
    external_id: externalIdParameter(),
    type: z
      .optional(z.array(applicationType()))
      .check(z.meta({ description: 'Only of these types, `?type=public&type=private`.', param: REPEATED })),
    name: nameParameter(),
    ...pageParameters(),
  });

export const forceParameters = /* @__PURE__ */ madeOnce(() =>
  z.object({
    force: described(
      z.optional(z.boolean()),
      '`true` makes the change even if no other key has `application:update`.',
    ),
  }),
);

/** The query of "list permissions", as the OpenAPI document describes it. */
export const listPermissionsParameters = () =>
  z.object({
    application_type: described(
      z.optional(applicationType()),
      'Only permissions that this application type may have.',
    ),
  });

export const nameWords = () => `Up to ${counted(NAME_MAX_LENGTH)} characters.`;

/** Describes the members of {@link grants} in the OpenAPI document. */
export const grantsWords = (): Members => ({
  permissions:
    'Granted on all tokens; data is masked. At least one of `permissions` and `rules` must have an entry.',
  rules:
    'In ascending order of `priority`. The first rule that covers the token and grants the permission decides.',
  'rules[].description': 'A note for people; it has no effect.',
  'rules[].priority': 'From 1, each once. Lower numbers come first.',
  'rules[].container': 'The rule applies to tokens in this container or below it.',
  'rules[].conditions':
    'For sessions, instead of `container`: all conditions must match. At most 20, and 500 in all rules.',
  'rules[].conditions[].attribute': 'The attribute of a token to compare.',
  'rules[].conditions[].operator': 'The comparison.',
  'rules[].conditions[].value': 'The value to compare with.',
  'rules[].transform':
    'How reads show the data: not at all, through its mask, or in plaintext. `token:use` inserts the plaintext whatever the transform, and `token:update` under `reveal` may set a mask that shows everything.',
  'rules[].permissions': { words: 'The permissions that the rule grants.', limits: { minItems: 1 } },
  'rules[].through': `For a rule that grants \`token:use\`: the only destinations of plaintext, at most ${counted(RULE_LIMITS.through)} ids and callbacks in all. They need not exist. If the rule decides and does not name the destination, the request returns 403.`,
  'rules[].through.proxies': 'Ids of stored proxies.',
  'rules[].through.reactors':
    'Ids of reactors, which the caller may invoke, with a `callback_url` only by `callbacks`.',
  'rules[].through.callbacks':
    'Addresses that a `callback_url` of these reactors may have, and all below them.',
});

export const updateApplicationWords = (): Members => ({
  name: nameWords(),
  external_id: changedExternalIdWords(),
  ...grantsWords(),
});

export const createApplicationWords = (): Members => ({
  ...updateApplicationWords(),
  external_id: newExternalIdWords(),
  type: 'Decides the permissions that it may have: `public` for browsers, `private` for servers, `management` for operators.',
  expires_at: 'ISO 8601; from that time on the key is rejected.',
});
