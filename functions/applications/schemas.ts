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
import { defined } from '../../src/core/shared/defined.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { invalid } from '../../src/core/shared/service-error.ts';
import { parseIsoTimestamp } from '../../src/core/shared/timestamp.ts';
import { idsOf, pageRequestOf, queryOf } from '../../src/http/page-query.ts';
import { body, boolean, lengthTo, list, name, names, oneOf, optional, text } from '../../src/http/schemas.ts';

const permission = oneOf(names(PERMISSION_NAMES), 'is not a permission');

/** Each permission once, in the order given. */
const permissions = z.pipe(
  list(permission),
  z.transform((given) => [...new Set(given)]),
);

const container = z.pipe(
  text,
  z.transform((given, context) => {
    const path = parseContainer(given);
    if (path === undefined) context.issues.push({ code: 'custom', input: '', message: CONTAINER_FORM });
    return path ?? '';
  }),
);

const condition = z.pipe(
  z.object(
    {
      attribute: oneOf(CONDITION_ATTRIBUTES, 'must be id or container'),
      operator: oneOf(CONDITION_OPERATORS, 'must be starts_with or equals'),
      value: text.check(...lengthTo(RULE_LIMITS.conditionValue)),
    },
    { error: 'must be an object' },
  ),
  z.transform((given) =>
    given.attribute === 'container' ? { ...given, value: given.value.toLowerCase() } : given,
  ),
);

const rule = z.pipe(
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
      transform: oneOf(TRANSFORMS, 'must be redact, mask or reveal'),
      permissions,
    },
    { error: 'must be an object' },
  ),
  z.transform((given): AccessRule => defined(given)),
);

const rules = list(rule, RULE_LIMITS.rules);

const expiresAtMs = z.pipe(
  text,
  z.transform((given, context) => {
    const timestamp = parseIsoTimestamp(given);
    if (timestamp === undefined)
      context.issues.push({ code: 'custom', input: '', message: 'must be a date-time in ISO 8601' });
    return timestamp?.at ?? 0;
  }),
);

const grants = { permissions: optional(permissions), rules: optional(rules) };

/**
 * Body of "create application" (docs/contract.md#create-an-application). What depends on the type
 * is checked in `core`.
 */
export const createApplicationBody = z.pipe(
  body({
    name,
    type: oneOf(APPLICATION_TYPES, 'must be private, public or management'),
    ...grants,
    expires_at: optional(expiresAtMs),
  }),
  z.transform((given): NewApplication =>
    defined({
      name: given.name,
      type: given.type,
      permissions: given.permissions ?? [],
      rules: given.rules ?? [],
      expiresAtMs: given.expires_at,
    }),
  ),
);

/** Body of "update application" (docs/contract.md#update-an-application): a full replacement. */
export const updateApplicationBody = z.pipe(
  body({ name, ...grants }),
  z.transform((given): ApplicationUpdate => ({
    name: given.name,
    permissions: given.permissions ?? [],
    rules: given.rules ?? [],
  })),
);

const isType = (given: string): given is ApplicationType => APPLICATION_TYPES.some((type) => type === given);

/** Query of "list applications" (docs/contract.md#applications). */
export const listApplicationsQuery = queryOf((query) => {
  const types = query.getAll('type').filter((type) => type !== '');
  if (!types.every(isType)) throw invalid('type', 'must be private, public or management');
  return { filters: { ids: idsOf(query), types }, page: pageRequestOf(query) };
});

/** Query of "list permissions" (docs/contract.md#permissions). */
export const listPermissionsQuery = queryOf((query) => {
  const type = query.get('application_type') ?? undefined;
  if (type !== undefined && !isType(type))
    throw invalid('application_type', 'must be private, public or management');
  return defined({ type });
});

/** Body of "update tenant" (docs/contract.md#tenants). */
export const updateTenantBody = z.pipe(
  body({
    name,
    settings: optional(z.object({ deduplicate_tokens: optional(boolean) }, { error: 'must be an object' })),
  }),
  z.transform((given) => ({
    name: given.name,
    settings: { deduplicateTokens: given.settings?.deduplicate_tokens ?? false },
  })),
);

/** Body of "authorize session" (docs/contract.md#sessions). */
export const authorizeSessionBody = z.pipe(
  body({
    nonce: text,
    ...grants,
    expires_at: optional(expiresAtMs),
  }),
  z.transform((given): Authorization =>
    defined({
      nonce: new Secret(given.nonce),
      permissions: given.permissions ?? [],
      rules: given.rules ?? [],
      expiresAtMs: given.expires_at,
    }),
  ),
);
