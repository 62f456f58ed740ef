import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import * as z from 'zod/mini';
import { listPermissionsParameters, permissionResponse } from '../../../src/wire/application.ts';

export const description: OperationDescription = {
  sdk: 'permissions.list',
  recorded: { by: 'management', query: '?application_type=public' },
  does: 'Lists all permissions, or those of `application_type`',
  tag: 'Applications',
  summary: 'List permissions',
  description: 'All permissions, or those that one type of application may have. Any key may list them.',
  query: listPermissionsParameters(),
  response: { description: 'The permissions.', schema: z.array(permissionResponse()) },
};
