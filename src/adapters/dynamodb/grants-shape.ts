import * as z from 'zod/mini';
import { CONDITION_ATTRIBUTES, CONDITION_OPERATORS, TRANSFORMS } from '../../core/access/access-rule.ts';
import { PERMISSION_NAMES, type Permission } from '../../core/access/permission.ts';

const permission = () => z.enum(PERMISSION_NAMES as readonly [Permission, ...Permission[]]);

const condition = () =>
  z.object({
    attribute: z.enum(CONDITION_ATTRIBUTES),
    operator: z.enum(CONDITION_OPERATORS),
    value: z.string(),
  });

const rule = () =>
  z.object({
    description: z.exactOptional(z.string()),
    priority: z.number(),
    container: z.exactOptional(z.string()),
    conditions: z.exactOptional(z.array(condition())),
    transform: z.enum(TRANSFORMS),
    permissions: z.array(permission()),
    through: z.exactOptional(
      z.object({
        proxies: z.array(z.string()),
        reactors: z.array(z.string()),
        callbacks: z.exactOptional(z.array(z.string())),
      }),
    ),
  });

/** The attributes of permissions and rules in items. */
export const grantsShape = () => ({ permissions: z.array(permission()), rules: z.array(rule()) });
