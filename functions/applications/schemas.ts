import * as z from 'zod/mini';
import {
  CONDITION_ATTRIBUTES,
  CONDITION_OPERATORS,
  RULE_LIMITS,
  TRANSFORMS,
  type AccessRule,
} from '../../src/core/access/access-rule.ts';
import type { ApplicationUpdate } from '../../src/core/applications/change-application.ts';
import type { NewApplication } from '../../src/core/applications/create-application.ts';
import {
  APPLICATION_TYPES,
  PERMISSION_NAMES,
  type ApplicationType,
} from '../../src/core/access/permission.ts';
import type { Authorization } from '../../src/core/access/session.ts';
import { CONTAINER_FORM, parseContainer } from '../../src/core/shared/container.ts';
import type { ClientCompatibility } from '../../src/core/shared/client-compatibility.ts';
import { defined } from '../../src/core/shared/defined.ts';
import type { JsonObject } from '../../src/core/shared/json.ts';
import { notOneOf } from '../../src/core/shared/known-names.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { invalid } from '../../src/core/shared/service-error.ts';
import { parseIsoTimestamp } from '../../src/core/shared/timestamp.ts';
import type { TenantSettings } from '../../src/core/access/tenant-basics.ts';
import { idsOf, PAGE_PARAMETERS, pageRequestOf, queryOf } from '../../src/http/page-query.ts';
import {
  body,
  boolean,
  lengthTo,
  list,
  name,
  names,
  oneOf,
  optional,
  text,
  RECORD_MEMBERS,
  unchangeable,
  unchangedOf,
} from '../../src/http/schemas.ts';

const permission = oneOf(names(PERMISSION_NAMES));

/** Each permission once, in the order of the request. */
const permissions = z.lazy(() =>
  z.pipe(
    list(permission),
    z.transform((raw) => [...new Set(raw)]),
  ),
);

const container = z.lazy(() =>
  z.pipe(
    text,
    z.transform((raw, context) => {
      const path = parseContainer(raw);
      if (path === undefined) context.issues.push({ code: 'custom', input: '', message: CONTAINER_FORM });
      return path ?? '';
    }),
  ),
);

const condition = z.lazy(() =>
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

const rule = z.lazy(() =>
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
      },
      { error: 'must be an object' },
    ),
    z.transform((raw): AccessRule => defined(raw)),
  ),
);

const rules = list(rule, RULE_LIMITS.rules);

const expiresAtMs = z.lazy(() =>
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

const grants = { permissions: optional(permissions), rules: optional(rules) };

/**
 * Body of "create application" (docs/contract.md#create-an-application). `core` checks what depends
 * on the type.
 */
export const createApplicationBody = z.lazy(() =>
  z.pipe(
    body({
      name,
      type: oneOf(APPLICATION_TYPES),
      ...grants,
      expires_at: optional(expiresAtMs),
    }),
    z.transform((raw): NewApplication =>
      defined({
        name: raw.name,
        type: raw.type,
        permissions: raw.permissions ?? [],
        rules: raw.rules ?? [],
        expiresAtMs: raw.expires_at,
      }),
    ),
  ),
);

/** Members of an application that an update cannot change. */
const UNCHANGEABLE = [...RECORD_MEMBERS, 'type', 'expires_at'] as const;

/** Body of "update application" (docs/contract.md#update-an-application): a full replacement. */
export const updateApplicationBody = z.lazy(() =>
  z.pipe(
    body({ name, ...grants, ...unchangeable(UNCHANGEABLE) }),
    z.transform((raw): ApplicationUpdate & { readonly unchanged: JsonObject } => ({
      name: raw.name,
      permissions: raw.permissions ?? [],
      rules: raw.rules ?? [],
      unchanged: unchangedOf(raw, UNCHANGEABLE),
    })),
  ),
);

const isType = (raw: string): raw is ApplicationType => APPLICATION_TYPES.some((type) => type === raw);

function typeOf(raw: string, parameter: string): ApplicationType {
  if (!isType(raw)) throw invalid(parameter, notOneOf(raw, APPLICATION_TYPES));
  return raw;
}

/** Query of "list applications" (docs/contract.md#applications). */
export const listApplicationsQuery = queryOf({ once: PAGE_PARAMETERS, repeated: ['id', 'type'] }, (query) => {
  const types = query.getAll('type').map((type) => typeOf(type, 'type'));
  return { filters: { ids: idsOf(query), types }, page: pageRequestOf(query) };
});

/** Query of "list permissions" (docs/contract.md#permissions). */
export const listPermissionsQuery = queryOf({ once: ['application_type'] }, (query) => {
  const type = query.get('application_type');
  return type === null ? {} : { type: typeOf(type, 'application_type') };
});

/** A boolean; clients in the field send it as a string (docs/lenient.md). */
const flag = z
  .union([boolean, z.enum(['true', 'false'])], { error: 'must be true or false' })
  .check(z.meta({ override: { type: 'boolean' } }));

/** Body of "update tenant" (docs/contract.md#tenants). */
export const updateTenantBody = z.lazy(() =>
  z.pipe(
    body({
      name,
      settings: optional(z.object({ deduplicate_tokens: optional(flag) }, { error: 'must be an object' })),
      ...unchangeable(['id']),
    }),
    z.transform((raw) => ({
      name: raw.name,
      settings: raw.settings ?? {},
      unchanged: unchangedOf(raw, ['id']),
    })),
  ),
);

/** The settings in a body. Throws `validation_failed` for a string, unless clients may send it. */
export function settingsOf(
  { deduplicate_tokens: raw }: z.output<typeof updateTenantBody>['settings'],
  compatibility: ClientCompatibility,
): Partial<TenantSettings> {
  if (typeof raw === 'string' && compatibility === 'strict')
    throw invalid('settings.deduplicate_tokens', 'must be true or false');
  return raw === undefined ? {} : { deduplicateTokens: String(raw) === 'true' };
}

/** Body of "authorize session" (docs/contract.md#sessions). */
export const authorizeSessionBody = z.lazy(() =>
  z.pipe(
    body({
      nonce: text,
      ...grants,
      expires_at: optional(expiresAtMs),
    }),
    z.transform((raw): Authorization =>
      defined({
        nonce: new Secret(raw.nonce),
        permissions: raw.permissions ?? [],
        rules: raw.rules ?? [],
        expiresAtMs: raw.expires_at,
      }),
    ),
  ),
);
