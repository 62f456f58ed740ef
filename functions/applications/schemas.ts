import { z } from 'zod';
import {
  CONDITION_ATTRIBUTES,
  CONDITION_OPERATORS,
  TRANSFORMS,
  type AccessRule,
} from '../../core/applications/access-rule.ts';
import { NAME_MAX_LENGTH } from '../../core/applications/application.ts';
import type { NewApplication } from '../../core/applications/create-application.ts';
import { APPLICATION_TYPES, PERMISSION_NAMES } from '../../core/applications/permission.ts';
import { CONTAINER_FORM, parseContainer } from '../../core/shared/container.ts';
import { parseIsoTimestamp } from '../../core/shared/timestamp.ts';
import { defined } from '../../core/shared/defined.ts';
import { body, list, names, oneOf, optional, text } from '../../http/schemas.ts';

const DESCRIPTION_MAX_LENGTH = 500;

const permission = oneOf(names(PERMISSION_NAMES), 'is not a permission');

/** Each permission once, in the order given. */
const permissions = list(permission).transform((given) => [...new Set(given)]);

const container = text.transform((given, context) => {
  const path = parseContainer(given);
  if (path === undefined) context.issues.push({ code: 'custom', input: '', message: CONTAINER_FORM });
  return path ?? '';
});

const condition = z
  .object(
    {
      attribute: oneOf(CONDITION_ATTRIBUTES, 'must be id or container'),
      operator: oneOf(CONDITION_OPERATORS, 'must be starts_with or equals'),
      value: text,
    },
    { error: 'must be an object' },
  )
  .transform((given) =>
    given.attribute === 'container' ? { ...given, value: given.value.toLowerCase() } : given,
  );

const rule = z
  .object(
    {
      description: optional(
        text.max(DESCRIPTION_MAX_LENGTH, `must be at most ${String(DESCRIPTION_MAX_LENGTH)} characters`),
      ),
      priority: z
        .int({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a whole number') })
        .min(1, 'must be at least 1'),
      container: optional(container),
      conditions: optional(list(condition)),
      transform: oneOf(TRANSFORMS, 'must be redact, mask or reveal'),
      permissions,
    },
    { error: 'must be an object' },
  )
  .transform((given): AccessRule => defined(given));

const name = text
  .min(1, 'must not be empty')
  .max(NAME_MAX_LENGTH, `must be at most ${String(NAME_MAX_LENGTH)} characters`);

const expiresAt = text.transform((given, context) => {
  const timestamp = parseIsoTimestamp(given);
  if (timestamp === undefined)
    context.issues.push({ code: 'custom', input: '', message: 'must be a date-time in ISO 8601' });
  return timestamp?.at ?? 0;
});

/** Body of "create application" (spec.md). What depends on the type is checked in `core`. */
export const createApplicationBody = body({
  name,
  type: oneOf(APPLICATION_TYPES, 'must be private, public or management'),
  permissions: optional(permissions),
  rules: optional(list(rule)),
  expires_at: optional(expiresAt),
}).transform(({ expires_at, ...given }): NewApplication => ({
  ...given,
  permissions: given.permissions ?? [],
  rules: given.rules ?? [],
  ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
}));
